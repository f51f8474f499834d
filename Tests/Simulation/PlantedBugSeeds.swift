#if PLANTED_BUGS
    import Foundation
    import MoorageCore
    import MoorageTesting

    /// A short history for each planted bug that shows it, mostly as `Scripts/simulate --planted` found it.
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
            .localReplaceMissed: Story(3, .random, 60),
            .keyChangeMissed: Story(8, .narrow, 80),
            .guardMissing: Story(1, .random, 15),
            .guardRowLeft: Story(1, .random, 15),
            .existingRowsNotNoted: Story(1, .random, 15),
            .newColumnNotNoted: Story(2, .narrow, 60),
            .lostTriggersTrusted: Story(23, .random, 40),
            .lastOldValueWins: Story(6, .narrow, 80),
            .deleteForgetsFirstValues: Story(3, .random, 80),
            .reinsertIsInsert: Story(3, .random, 60),
            .touchDropped: Story(34, .narrow, 25),
            .batchNotStored: Story(1, .random, 15),
            .sentCountsAsTaken: Story(1, .random, 15),
            .newNonceOnRetry: Story(1, .random, 15),
            .batchNumberStays: Story(1, .random, 15),
            .parentsLeftBehind: Story(16, .narrow, 60),
            .formerHoldersLeftBehind: Story(9, .random, 100),
            .answerTakesNewerEdits: Story(1, .random, 40),
            .refusalNotListed: Story(1, .random, 25),
            .latePageApplied: Story(9, .random, 60),
            .pageOverEdit: Story(1, .random, 40),
            .removalOverEdit: Story(12, .narrow, 80),
            .waitingRowDropped: Story(7, .random, 25),
            .waitingCountsAsCaughtUp: Story(7, .random, 25),
            .unseenRowsStay: Story(36, .narrow, 15),
            .staleTablesTrusted: Story(1, .random, 15),
            .epochIgnored: Story(4, .narrow, 80),
            .reconcileForgetsAcknowledged: Story(8, .narrow, 60),
            .againNotMarked: Story(4, .narrow, 100),
            .againIgnored: Story(4, .narrow, 80),
            .unknownMarkAccepted: Story(8, .narrow, 60),
            .markNonceIgnored: Story(10, .narrow, 25),
            .batchAppliedTwice: Story(1, .random, 15),
            .outcomesNotKept: Story(1, .random, 100),
            .noTombstone: Story(1, .random, 40),
            .noTombstoneUnderOldKey: Story(5, .random, 80),
            .centralReplaceMissed: Story(8, .narrow, 25),
            .replacedRowsStayLive: Story(8, .narrow, 15),
            .existingRowsUntracked: Story(1, .random, 15),
            .enteredRenewed: Story(3, .random, 80),
            .unnumberedNotSent: Story(22, .narrow, 80),
            .numberedBehindTheMark: Story(1, .random, 60),
            .blindOverwrite: Story(2, .narrow, 100),
            .columnRuleIgnored: Story(15, .random, 100),
            .insertsJoined: Story(9, .random, 80),
            .loserNotLogged: Story(2, .narrow, 60),
            .goneUpdateDropped: Story(7, .random, 60),
            .changedAtGoesBack: Story(7, .random, 40),
            .deviceClockBelieved: Story(1, .random, 100),
            .cascadesNotJudged: Story(6, .narrow, 80),
            .refusalTakesAll: Story(3, .random, 80),
            .swapsRefused: Story(13, .random, 60),
            .constraintsLeftToCommit: Story(1, .random, 25),
            .answerWithoutRows: Story(1, .random, 25),
            .echoSuppressed: Story(2, .narrow, 100),
            .echoAssumed: Story(4, .narrow, 15),
            .markOffByOne: Story(1, .random, 15),
            .markMovesEarly: Story(1, .random, 15),
            .walkSkipsRow: Story(1, .random, 60),
            .walkKeptAcrossSchemas: Story(32, .narrow, 25),
            .brokenOffForgotten: Story(43, .random, 60),
            .sentAheadForgotten: Story(1, .random, 40),
            .signatureIgnored: Story(21, .random, 100),
            .keysByAppearance: Story(3, .random, 80),
            .everythingSentAgain: Story(1, .random, 15),
            .purgedWithoutHorizon: Story(6, .narrow, 80),
            .horizonTooNear: Story(2, .narrow, 60),
        ]

        /// A generated history, or one that was written by hand for what seldom happens by itself.
        static func history(of bug: PlantedBug) throws -> History? {
            if let story = stories[bug] {
                return History(seed: story.seed, size: story.size, profile: story.profile)
            }
            let file = Bundle.module.url(
                forResource: bug.name, withExtension: "history", subdirectory: "Planted")
            return try file.map { try History(text: String(contentsOf: $0, encoding: .utf8)) }
        }
    }
#endif
