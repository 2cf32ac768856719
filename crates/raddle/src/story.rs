//! Stories: the steps of an execution, for people.

use std::fmt::Write;

use raddle_explore::Run;
use raddle_finding::Choice;

use crate::world::{Came, NONE, Tale, Told, What, World};

/// Tells an execution, one line a step; a blank line where another thread goes on.
pub(crate) fn tell(world: &World, tale: &Tale, run: &Run) -> String {
    let mut text = String::new();
    let mut held: Vec<(u32, u32)> = Vec::new();
    let mut last = None;
    let width = tale.steps.iter().map(|step| world.thread_name(step.thread).chars().count()).max();
    for step in &tale.steps {
        if last.is_some_and(|thread| thread != step.thread) {
            let preempts = step.point.checked_sub(1).is_some_and(|point| preempts(run, point));
            text += if preempts { "    -- preempted --\n" } else { "\n" };
        }
        last = Some(step.thread);
        let name = world.thread_name(step.thread);
        let _ = write!(text, "  {name:width$}  {}", what(world, step), width = width.unwrap_or(0));
        let _ = write!(text, "  {}", step.site);
        hold(&mut held, step);
        let holds: Vec<_> =
            held.iter().filter(|(thread, _)| *thread == step.thread).map(|it| it.1).collect();
        if !holds.is_empty() {
            let names: Vec<_> = holds.iter().map(|&object| short(world, object)).collect();
            let _ = write!(text, "  [holds {}]", names.join(", "));
        }
        text.push('\n');
    }
    text
}

fn preempts(run: &Run, point: usize) -> bool {
    point < run.points().len()
        && matches!(run.taken(point), Choice::Thread(_))
        && run.preempts(point, run.taken(point))
}

fn what(world: &World, step: &Told) -> String {
    let object = match step.what {
        what if what.is_about_thread() => String::new(),
        _ if step.object == NONE => String::new(),
        _ => format!(" {}", short(world, step.object)),
    };
    let value = step.value.as_ref().map_or(String::new(), |value| match step.what {
        What::Spawn | What::Join | What::ScopeEnd | What::Unpark => format!(" {value}"),
        _ => format!(": {value}"),
    });
    format!("{}{object}{value}", step.what.words())
}

/// An object, by kind and the line where it was made.
fn short(world: &World, object: u32) -> String {
    let Some(it) = world.objects.get(object as usize) else { return String::new() };
    let file = it.made.file().rsplit('/').next().unwrap_or_default();
    format!("{}@{file}:{}", it.kind.word(), it.made.line())
}

/// Keeps up who holds what.
fn hold(held: &mut Vec<(u32, u32)>, step: &Told) {
    let is = |object: u32| move |it: &(u32, u32)| *it == (step.thread, object);
    let mut release = |object: u32| {
        if let Some(index) = held.iter().rposition(is(object)) {
            held.remove(index);
        }
    };
    match step.what {
        What::Unlock | What::ReadUnlock => release(step.object),
        What::Wait => release(step.mutex),
        What::Lock | What::ReadLock => held.push((step.thread, step.object)),
        What::TryLock | What::TryReadLock if step.came == Came::Done => {
            held.push((step.thread, step.object));
        }
        What::Wake => held.push((step.thread, step.mutex)),
        _ => {}
    }
}
