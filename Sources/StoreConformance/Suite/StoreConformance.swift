import Strata

/// The suite that every store must pass: the same object graph, queries, saves, errors and conversions, whatever is underneath.
///
/// It needs no test framework; a case throws where a store fails it. With Swift Testing, a store of your own is checked like this:
///
/// ```swift
/// import StrataConformance
/// import Testing
///
/// let harness = StoreHarness("my store", isPersistent: true, isFileBased: true) { directory, name in
///     StoreDescription(.mine, path: "\(directory)/\(name).mine")
/// }
///
/// @Test("My store does what every store does", arguments: StoreConformance.cases)
/// func conformance(_ item: ConformanceCase) async throws {
///     let outcome = try await item.run(on: harness)
///     if case .skipped(let reason) = outcome { print("\(item): \(reason)") }
/// }
/// ```
/// Give other stores as partners to run the cases about several stores on mixtures: `item.run(on: harness, with: [sqlite])`. What your
/// store cannot do, list in the harness's ``StoreHarness/divergences`` with a reason; a case that is listed there and passes all the same
/// is a failure, so the list stays honest.
public enum StoreConformance {
    /// The cases that a store can fail, grouped by subject: the arguments of a test.
    public static let cases: [ConformanceCase] = ConformanceCase.Subject.allCases.filter { !$0.isOfGraph }.flatMap { cases(in: $0) }

    /// The cases that only the object graph can fail.
    ///
    /// Strata's own tests run them in memory and on SQLite; no other store need do so.
    public static let graphCases: [ConformanceCase] = ConformanceCase.Subject.allCases.filter(\.isOfGraph).flatMap { cases(in: $0) }

    /// Returns the cases of a subject.
    public static func cases(in subject: ConformanceCase.Subject) -> [ConformanceCase] {
        switch subject {
        case .metadata: MetadataCases.all
        case .attributes:
            NumberCases.all + TextCases.all + LongTextCases.all + ValueCases.all + ExternalValueCases.all + NameCases.all + DerivedCases.all
                + DerivedChainCases.all + DerivedLawCases.all + CompositeCases.all + CompositeChangeCases.all + CompositeNameCases.all
                + ObjectValueCases.all.filter { $0.subject == .attributes }
        case .relationships:
            ToOneCases.all + ToManyCases.all + OrderedCases.all + OrderMergeCases.all + LinkCases.all + ForgettingCases.all
                + OlderRowCases.all
                + InheritanceCases.all
                + DeleteRuleCases.all + ReferenceCases.all + ReferenceRuleCases.all + MutableSetCases.all
                + ObjectValueCases.all.filter { $0.subject == .relationships }
        case .faulting: FaultingCases.all + QueryGenerationCases.all.filter { $0.subject == .faulting }
        case .saving:
            SavingCases.all + IdentityCases.all + LifeCycleCases.all + RestlessCases.all + SavedChangesCases.all
                + ShortRequestCases.all.filter { $0.subject == .saving }
        case .validation: ValidationCases.all + ValidationRequestCases.all
        case .conflicts:
            VersionConflictCases.all + UniquenessCases.all + MergePolicyCases.all
                + MissingDestinationCases.all + PairConflictCases.all + UnitingCases.all + StaleUnitingCases.all + LostEndCases.all
                + ConflictSnapshotCases.all + ChangedBackCases.all
                + RefilledLinkCases.all + ResavedLinkCases.all + StaleMemberCases.all + MergedCascadeCases.all + ComposedPolicyCases.all
                + TwoCoordinatorCases.all + DeletedMemberCases.all
        case .nesting:
            NestedContextCases.all + ChildDeletionCases.all + UnfollowedDeletionCases.all + ForgottenDestinationCases.all
                + NestedLawCases.all + ConcurrentFamilyCases.all + AutomaticMergingCases.all + LateDeletionCases.all
        case .undo:
            UndoCases.all + UndoMergeCases.all + UndoOrderCases.all + UndoLinkMergeCases.all + UndoNestedCases.all + UndoLawCases.all
        case .observation: ContextEventCases.all + CurrentEventCases.all + LiveQueryCases.all + FetchedResultsCases.all
        case .queries:
            ComparisonCases.all + TextQueryCases.all + PathQueryCases.all + SortCases.all + LocalizedOrderCases.all
                + PendingChangesCases.all + GroupCases.all
                + QueryErrorCases.all + ExplainCases.all + LawCases.all + GeneratedLawCases.all + DictionaryCases.all + HavingCases.all
                + ProjectionCases.all + PendingRelationshipCases.all + RequestOptionCases.all + AsynchronousCases.all + TemplateCases.all
                + QuantifierCases.all + SelectionCases.all + GivenObjectCases.all + DistinctCases.all + LongQueryCases.all
                + (ShortRequestCases.all + ObjectValueCases.all).filter { $0.subject == .queries }
        case .batches:
            BatchInsertCases.all + RelatedInsertCases.all + UpsertCases.all + BatchUpdateCases.all + BatchDeleteCases.all
                + BatchOutcomeCases.all
                + RemoteChangesCases.all + OtherCoordinatorCases.all
        case .events:
            (SaveEventCases.all + TombstoneCases.all + RemoteEventCases.all + InterleavedEventCases.all).filter { $0.subject == .events }
        case .reopen: ReopenCases.all + ClosingCases.all + GrowingCases.all
        case .errors:
            OpeningErrorCases.all + BadPathCases.all + OwnFileCases.all + ChangedFileCases.all + ValueErrorCases.all
                + RemovedStoreCases.all.filter { $0.subject == .errors }
        case .verifying: VerifyingCases.all
        case .federation:
            FederationCases.all + FederatedSavingCases.all + FederatedBatchCases.all + FederatedSnapshotCases.all + StoreFileCases.all
                + (SaveEventCases.all + TombstoneCases.all + QueryGenerationCases.all + RemovedStoreCases.all).filter {
                    $0.subject == .federation
                }
        case .conversion:
            ConversionCases.all + CompositeChangeCases.conversion + DerivedMigrationCases.all.filter { $0.subject == .conversion }
        case .migration:
            AttributeMigrationCases.all + RelationshipMigrationCases.all + EntityMigrationCases.all + MigrationCases.all
                + LossMigrationCases.all + CompositeMigrationCases.all + StagedMigrationCases.all + MappingMigrationCases.all
                + MigrationProgressCases.all
                + DerivedMigrationCases.all.filter { $0.subject == .migration } + GeneratedMigrationCases.all
        }
    }
}
