#if PLANTED_BUGS
    import MoorageCore
    import MoorageTesting

    /// A short history for each planted bug that shows it, as `Scripts/simulate --planted` found it.
    enum PlantedBugSeeds {
        struct Story {
            let seed: UInt64
            let profile: History.Profile
            let size: Int

            init(_ seed: UInt64, _ profile: History.Profile, _ size: Int) {
                self.seed = seed
                self.profile = profile
                self.size = size
            }
        }

        static let stories: [PlantedBug: Story] = [
            .localReplaceMissed: Story(73, .random, 40),
            .keyChangeMissed: Story(49, .random, 15),
            .guardMissing: Story(7, .random, 15),
            .guardRowLeft: Story(1, .random, 15),
            .existingRowsNotNoted: Story(1, .random, 15),
        ]
    }
#endif
