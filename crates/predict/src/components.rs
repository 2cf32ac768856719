//! Strongly connected components of a graph: every cycle lies within one.
//!
//! Tarjan's algorithm, with a stack of its own instead of recursion.

/// Per node, the number of its component; `next` lists where its edges lead.
pub(crate) fn components(next: &[Vec<usize>]) -> Vec<usize> {
    let n = next.len();
    let mut search = Search {
        next,
        index: vec![UNSEEN; n],
        low: vec![0; n],
        component: vec![UNSEEN; n],
        open: Vec::new(),
        n_seen: 0,
        n_components: 0,
    };
    (0..n).for_each(|root| search.visit(root));
    search.component
}

const UNSEEN: usize = usize::MAX;

struct Search<'a> {
    next: &'a [Vec<usize>],
    /// Per node, when it was first seen.
    index: Vec<usize>,
    /// Per node, the earliest node of `open` that it reaches.
    low: Vec<usize>,
    component: Vec<usize>,
    /// Nodes whose component is not complete.
    open: Vec<usize>,
    n_seen: usize,
    n_components: usize,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        if self.index[root] != UNSEEN {
            return;
        }
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.pop() {
            match self.next[node].get(edge) {
                Some(&to) => {
                    path.push((node, edge + 1));
                    if self.index[to] == UNSEEN {
                        self.enter(to);
                        path.push((to, 0));
                    } else if self.component[to] == UNSEEN {
                        self.low[node] = self.low[node].min(self.index[to]);
                    }
                }
                None => {
                    self.leave(node);
                    if let Some(&(parent, _)) = path.last() {
                        self.low[parent] = self.low[parent].min(self.low[node]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.index[node] = self.n_seen;
        self.low[node] = self.n_seen;
        self.n_seen += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] < self.index[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member] = self.n_components;
            if member == node {
                break;
            }
        }
        self.n_components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[track_caller]
    fn check(next: &[&[usize]], expected: &[usize]) {
        let next: Vec<Vec<usize>> = next.iter().map(|edges| edges.to_vec()).collect();
        assert_eq!(components(&next), expected);
    }

    #[test]
    fn a_path_has_a_component_for_each_node() {
        check(&[&[1], &[2], &[]], &[2, 1, 0]);
    }

    #[test]
    fn a_circle_is_one_component() {
        check(&[&[1], &[2], &[0]], &[0, 0, 0]);
    }

    #[test]
    fn circles_that_meet_are_one_component_and_a_tail_is_not() {
        check(&[&[1], &[0, 2], &[3], &[2, 4], &[]], &[2, 2, 1, 1, 0]);
    }
}
