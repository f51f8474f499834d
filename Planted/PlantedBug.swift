#if canImport(Synchronization) && !canImport(Darwin)
    import Synchronization
#endif

/// Mistakes that were made once, or nearly, as switches: the simulator must find each of them
/// (docs/development/testing.md, Planted bugs). They exist in the copy of the sources that Scripts/plant makes, and
/// nowhere else.
///
/// Each case says what a mistaken program does.
@usableFromInline package enum PlantedBug: Hashable, Sendable {
    // MARK: The device's log

    /// What `REPLACE` removes is not noted as a candidate.
    case localReplaceMissed
    /// A changed key is not noted.
    case keyChangeMissed
    /// The triggers work while a page is applied.
    case guardMissing
    /// The guard row stays behind when a page was applied: from then on nothing is noted.
    case guardRowLeft
    /// Rows that were there before the replica are not noted for upload.
    case existingRowsNotLogged
    /// A column that the hub has from now on: what the app wrote into it before is not noted.
    case newColumnNotLogged
    /// Lost triggers are made again, and nobody asks what happened meanwhile.
    case lostTriggersTrusted
    /// Folding keeps the last old value of a column instead of the first.
    case lastOldValueWins
    /// A delete keeps the row as it went instead of as it was before the first edit.
    case deleteForgetsFirstValues
    /// Deleted and inserted again is taken for an insert.
    case reinsertIsInsert

    // MARK: Batches

    /// An edit that was undone is dropped, with the removal that was blocked by it.
    case emptyUpdateDropped
    /// Inserted and deleted again is dropped, and so is what the hub has under that key.
    case refetchDropped
    /// The log is cut, and the batch is kept in memory alone.
    case batchNotStored
    /// A batch is forgotten once it was sent, answer or not.
    case sentCountsAsAcknowledged
    /// A batch that is sent again gets another nonce.
    case newNonceOnRetry
    /// The number of an answered batch is used again.
    case batchNumberStays
    /// A cut batch does not take along the new parents of its rows.
    case parentsLeftBehind
    /// A cut batch does not take along the rows that give up the unique values it takes.
    case formerHoldersLeftBehind
    /// An answer removes what was edited while the batch was in flight.
    case answerDropsNewerEdits
    /// A later edit of a refused insert stays an update, of a row that never was.
    case refusedInsertStaysUpdate
    /// What the central database stored otherwise is not told to later edits.
    case storedValuesIgnored
    /// Refused changes are not put on the device's list.
    case refusalNotListed

    // MARK: Applying

    /// Candidates are left for later when a page touches their rows.
    case candidatesFoldedLate
    /// A page is applied wherever the replica stands.
    case latePageApplied
    /// Outcomes are taken for the batch in flight, whichever they are for.
    case lateOutcomesApplied
    /// A page writes over columns that were edited here.
    case pageOverEdit
    /// A removal takes a row away that was edited here.
    case removalOverEdit
    /// A row whose unique value is taken is dropped instead of waiting for its place.
    case deferredRowDropped
    /// A replica says that it has caught up while a row waits for its place.
    case deferredCountsAsCaughtUp
    /// Rows that a first copy did not bring stay.
    case unconfirmedRowsStay
    /// Rows that a first copy did not bring go, edited here or not.
    case unconfirmedEditsDropped
    /// Tables are kept in memory when their metadata moved.
    case staleTablesTrusted

    // MARK: Histories that part

    /// A device does not notice another epoch.
    case epochIgnored
    /// After a restore of the centre what was acknowledged is not offered again.
    case reconcileForgetsAcknowledged
    /// What is offered again is not marked so.
    case againNotSet
    /// The hub does not look at that mark: a deleted row comes back.
    case againIgnored
    /// Any mark is taken for one of this history.
    case unknownCheckpointAccepted
    /// Marks are compared by number alone: a restored database counts on past a replica.
    case checkpointNonceIgnored
    /// Nobody asks whether the hub knows what it answered, and what the replica saw beyond its mark.
    case batchGapIgnored
    /// Another file's batch of the same number counts as this one's.
    case batchNonceIgnored
    /// A batch that is sent again is carried out again.
    case batchAppliedTwice
    /// The outcomes of a batch are not kept for its retry.
    case outcomesNotKept

    // MARK: Tracking

    /// A deleted row leaves no trace.
    case noTombstone
    /// A changed key leaves no tombstone under the old one.
    case noTombstoneUnderOldKey
    /// What `REPLACE` removes at the centre is not noted.
    case centralReplaceMissed
    /// What `REPLACE` removed counts as live when changes are numbered.
    case replacedRowsStayLive
    /// Rows that were there before the table was attached are not tracked.
    case existingRowsUntracked
    /// A row that changes is new each time: its removal is told to nobody.
    case liveSinceRenewed
    /// Only what has a number is sent, and the mark moves all the same.
    case unnumberedNotSent
    /// Changes are numbered with the number before.
    case numberedBehindTheCheckpoint

    // MARK: Merging

    /// Values are written whatever stands at the centre.
    case blindOverwrite
    /// The rule of a column is not asked, the table's is.
    case columnRuleIgnored
    /// Two inserts of one key are joined by column.
    case insertsJoined
    /// A delete removes a row that was changed meanwhile, whatever the rule.
    case deleteUnjudged
    /// What loses is not logged.
    case loserNotLogged
    /// An update of a deleted row is dropped without a word.
    case goneUpdateDropped
    /// The time of a row's last change goes back to that of an older edit.
    case changedAtGoesBack
    /// Edits have the time that the device's clock says.
    case deviceClockBelieved
    /// What a delete's cascades reach goes with it, whoever needs it.
    case cascadesNotJudged
    /// One refused change takes its batch along.
    case refusalFailsBatch
    /// What was refused for a key is not tried again after the rest.
    case refusedNotTriedAgain
    /// Two rows that swap their unique values are refused.
    case swapsRefused
    /// Deferred constraints are left to the end of the transaction, where they take all along.
    case constraintsLeftToCommit

    // MARK: Pages

    /// The rows of a pushed batch are not part of the answer.
    case answerWithoutRows
    /// Rows that a replica pushed are not sent back to it, however they stand.
    case echoSuppressed
    /// An inserted row is taken for what the centre stored.
    case echoAssumed
    /// A page misses the change right beyond the mark.
    case checkpointOffByOne
    /// A walk that begins moves the mark.
    case checkpointMovesEarly
    /// A walk goes on behind the row that did not fit.
    case scanSkipsRow
    /// A walk goes on when the tables have moved.
    case scanKeptAcrossSchemas
    /// A walk that was broken off is forgotten, with the rows it brought.
    case brokenOffForgotten
    /// Rows that were sent ahead of the mark are not named in the cursor.
    case sentAheadForgotten
    /// A walk's cursor does not say how far the centre was when its pages were read.
    case highWaterForgotten
    /// A table that gained a column goes on from its mark.
    case signatureIgnored
    /// Names and keys are compared as characters, not as bytes.
    case keysByAppearance
    /// A table is read anew with each pull.
    case everythingSentAgain

    // MARK: Deletes by a mark

    /// A delete removes the row that it should mark.
    case softDeleteRemoves
    /// A mark tells the time of the device's clock.
    case markerTellsDevicesTime
    /// An update of a marked row is taken as if there were no mark.
    case softDeletedRowsUpdated
    /// A change that marks a row, and writes another column, takes the mark of an earlier delete away.
    case markerCleared
    /// A row that the hub asks for whole is not sent.
    case wholeRowNotSent

    // MARK: Columns

    /// A column that is left out travels like the others.
    case hiddenColumnSent
    /// What a device writes into a column that only comes down is sent and taken.
    case downOnlyColumnAccepted
    /// What an edit wrote into such a column is on no list.
    case unsentEditNotListed
    /// What an insert wrote into such a column is on no list.
    case unsentInsertNotListed
    /// What an insert asked for in a column that its user may not set is in no log.
    case leftOutNotLogged
    /// A user may set every column of a table that the user may write.
    case columnRightsIgnored

    // MARK: Keys

    /// The hub forgets which keys it promised.
    case keysPromisedAgain
    /// The hub promises keys below rows that are there.
    case keysBelowRows
    /// A file that takes another name keeps the keys of its former one.
    case keysOfFormerName
    /// SQLite goes on behind the highest row, whatever keys the replica has.
    case sequenceNotLed

    // MARK: Groups, directions and tables of the app's own

    /// A refused change leaves the rest of its group in.
    case groupsSplit
    /// A change of a table that comes down only is taken.
    case downTableAccepted
    /// Rows of a table that goes up only come down.
    case upTableComesDown
    /// A row of the app's own table goes on referring to a row that went with a page.
    case localReferencesLeft

    // MARK: Rules of values and of rows

    /// A table that is settled by whole rows is settled by columns.
    case wholeRowsJoined
    /// A sum adds the whole value and not what was added to it.
    case sumForgetsBase

    // MARK: Users

    /// A scope that a user gained is read from the mark on: what was in it before stays away.
    case gainedScopeFromTheCheckpoint
    /// The rows of a scope that a user lost stay on the device.
    case lostScopeKept
    /// A row that one of a user's scopes does not show any more goes, and another one shows it still.
    case authorizedElsewhereRevoked
    /// A change meets rows that its user may not see.
    case hiddenRowsKnown
    /// Nobody looks whether what was written is still within the scopes of the one who wrote it.
    case outsideWritesAccepted
    /// What hangs below a row that moves to another scope stays in the old one.
    case movedAboveUnnoticed
    /// A member that goes takes no row out of its scope.
    case memberLossUnnoticed
    /// What `REPLACE` removes above a row does not change the row's scopes.
    case replacedAboveUnnoticed
    /// What a user may not do is done.
    case rightsIgnored
    /// A file is taken for the one's who comes with it.
    case foreignFileAccepted
    /// A file that is emptied keeps its log.
    case emptyingKeepsLog
    /// A replica that was wiped is let in again.
    case wipedLetIn

    // MARK: Subscriptions

    /// A scope that a device asks for is sent, whether or not its user may see it.
    case requestedScopeNotJudged
    /// A scope that a device no longer asks for goes on coming.
    case unsubscribedScopeKept
    /// Everything that a user may see is sent, whether or not the device asks for it.
    case everythingVisibleSent
    /// A change of a row that the device does not ask for is refused.
    case pushedBySubscription
    /// A scan with other priorities goes on where the one before was.
    case prioritiesNotSigned
    /// Priorities are accepted, and the scan has the order that it always has.
    case prioritiesIgnored
    /// A scan that goes on looks for its place by table and scope, whatever the scopes' priorities.
    case passForgotten
    /// A subscription whose time is over is asked for.
    case endedSubscriptionAsked
    /// A subscription lasts longer when the clock is set back.
    case longerSubscriptionKept

    // MARK: Tables that change

    /// A column that the app renames is another one.
    case renameNotFollowed
    /// A table whose column the app renamed syncs on while the hub has the old name.
    case renameAheadSynced
    /// What a column had before it was synced goes up like an edit.
    case fillSentAsEdit
    /// What a column had before it was synced is offered whatever the hub has there.
    case fillOverAnyValue
    /// The hub takes a fill whatever its value is by then.
    case fillUnguarded
    /// A table that the owner made again is served, without the triggers that went with the old one.
    case rebuiltTableServed
    /// A table that was made again is attached, and what was written before is not sent.
    case rebuiltTableNotRead

    // MARK: Retention

    /// A cursor behind the horizon is served like any other.
    case horizonIgnored
    /// Tombstones are purged and no horizon says so.
    case purgedWithoutHorizon
    /// Tombstones are purged at once, whatever the retention time.
    case horizonTooNear
}

extension PlantedBug: CaseIterable {
    /// The mistake that the program makes now, in this task or thread.
    @TaskLocal private static var active: PlantedBug?

    #if canImport(Synchronization) && !canImport(Darwin)
        /// How many threads make a mistake now: mostly none, and then nobody asks further.
        private static let makers = Atomic(0)
    #endif

    /// Makes a mistake in everything that the body calls.
    package static func make<Result>(_ bug: PlantedBug, _ body: () throws -> Result) rethrows
        -> Result
    {
        #if canImport(Synchronization) && !canImport(Darwin)
            makers.add(1, ordering: .relaxed)
            defer { makers.subtract(1, ordering: .relaxed) }
        #endif
        return try $active.withValue(bug, operation: body)
    }

    fileprivate var isMade: Bool {
        #if canImport(Synchronization) && !canImport(Darwin)
            guard Self.makers.load(ordering: .relaxed) > 0 else { return false }
        #endif
        return Self.active == self
    }

    /// - Parameter name: As the case is written.
    package init?(name: String) {
        guard let bug = Self.allCases.first(where: { $0.name.hasSameBytes(as: name) }) else {
            return nil
        }
        self = bug
    }

    package var name: String { "\(self)" }
}

/// Whether the program is to make this mistake.
package func planted(_ bug: PlantedBug) -> Bool { bug.isMade }
