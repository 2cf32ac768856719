//! Races of the engine: what they are in words, and the points that they become.

use raddle_cfront::ir::FunctionId;
use raddle_explore::{Failure, Race};
use raddle_finding::Location;

use super::VmEngine;
use crate::image::POINT;
use crate::machine::Machine;
use crate::name;
use crate::races;
use crate::settings::{Points, Settings};

impl VmEngine {
    pub(super) fn describe_race(&self, race: &Race) -> Failure {
        let place = |side: usize| self.place(races::site(race.callers[side]));
        let mut sides = [(place(0), 0), (place(1), 1)];
        sides.sort_unstable();
        let name = name::identified(&self.machine.image, race.object, race.bytes);
        let [one, other] = sides.each_ref().map(|(place, side)| self.deed(race, *side, place));
        let message = format!("`{name}` is {one} and {other}, and nothing orders them");
        Failure::race(sides.map(|(place, _)| place), message, race.ordered_by_c11)
    }

    /// What one side of a race does: `written by deposit in change (bank.c:30:5)`.
    fn deed(&self, race: &Race, side: usize, place: &Location) -> String {
        let program = self.machine.program();
        let does = race.touches[side].participle();
        let start = FunctionId(race.starts[side]);
        let function = races::site(race.callers[side]).function;
        let who = &program.function(start).name;
        match function == start {
            true => format!("{does} by {who} ({place})"),
            false => format!("{does} by {who} in {} ({place})", program.function(function).name),
        }
    }

    /// Whether the accesses of a race are transitions of the program.
    pub(super) fn has_sites(&self, race: &Race) -> bool {
        let has = |site: crate::Site| {
            let marks = self.machine.image.marks.get(site.function.0 as usize);
            races::is_local(site) || marks.is_some_and(|marks| (site.op as usize) < marks.len())
        };
        race.sites.iter().all(|&site| has(races::site(site)))
    }

    /// Makes points of the accesses of races; whether there are more points than before.
    pub(super) fn add_points(&mut self, races: &[Race]) -> bool {
        let image = &self.machine.image;
        let has_all = image.settings.points == Points::All;
        let sites = races.iter().flat_map(|race| race.sites.map(races::site));
        let is_point = |site: &crate::Site| {
            if races::is_local(*site) {
                return image.settings.promoted.contains(site);
            }
            if has_all {
                return true;
            }
            let marks = &image.marks[site.function.0 as usize];
            marks[site.op as usize] & POINT != 0 || image.settings.promoted.contains(site)
        };
        let fresh: Vec<_> = sites.filter(|site| !is_point(site)).collect();
        if fresh.is_empty() {
            return false;
        }
        let mut settings = image.settings.clone();
        settings.promoted.extend(fresh);
        self.set(&settings);
        true
    }

    /// Begins anew with other settings, which take no memory of the program.
    pub(super) fn set(&mut self, settings: &Settings) {
        let machine = Machine::new(self.machine.image.program.clone(), settings);
        let stop = std::mem::take(&mut self.stop);
        *self = VmEngine::new(machine.expect("it had as much memory before"));
        self.stop_when(stop);
    }
}
