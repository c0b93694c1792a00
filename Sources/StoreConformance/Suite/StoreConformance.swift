import Strata

/// The suite that every store must pass: the same object graph, queries, saves, errors and conversions, whatever is
/// underneath.
///
/// It needs no test framework; a case throws where a store fails it. With Swift Testing, a store of your own is checked
/// like this:
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
/// Give other stores as partners to run the cases about several stores on mixtures: `item.run(on: harness, with:
/// [sqlite])`. What your store cannot do, list in the harness's ``StoreHarness/divergences`` with a reason; a case that
/// is listed there and passes all the same is a failure, so the list stays honest.
public enum StoreConformance {
    /// The cases: the arguments of a test.
    public static let cases: [ConformanceCase] = lists.flatMap(\.self)

    /// Returns the cases of a subject.
    public static func cases(in subject: ConformanceCase.Subject) -> [ConformanceCase] { cases.filter { $0.subject == subject } }

    private static let lists: [[ConformanceCase]] = [
        MetadataCases.all, VersionHashCases.all, NumberCases.all, TextCases.all, LongTextCases.all,
        ValueCases.all,
        ExternalValueCases.all, NameCases.all, DerivedCases.all, DerivedChainCases.all, DerivedLawCases.all,
        CompositeCases.all, CompositeChangeCases.all, CompositeNameCases.all, StoredFormCases.all, CodableValueCases.all,
        ObjectValueCases.all,
        ToOneCases.all, ToManyCases.all, OrderedCases.all, OrderMergeCases.all, LinkCases.all,
        ForgettingCases.all, OlderRowCases.all, InheritanceCases.all, DeleteRuleCases.all, ReferenceCases.all,
        ReferenceRuleCases.all, LeftOutEntityCases.all, MutableSetCases.all, FaultingCases.all, QueryGenerationCases.all,
        SavingCases.all, ContainerCases.all, IdentityCases.all, SavedChangesCases.all, ShortRequestCases.all,
        VersionConflictCases.all, UniquenessCases.all, MergePolicyCases.all, MissingDestinationCases.all,
        PairConflictCases.all, UnitingCases.all, StaleUnitingCases.all, LostEndCases.all,
        ConflictSnapshotCases.all,
        StalePropertyCases.all,
        StaleMemberCases.all, MergedCascadeCases.all, ComposedPolicyCases.all, TwoCoordinatorCases.all,
        DeletedMemberCases.all, ComparisonCases.all, TextQueryCases.all, PathQueryCases.all, SortCases.all,
        LocalizedOrderCases.all, PendingChangesCases.all, GroupCases.all, DecimalCases.all, DatePartCases.all, GeneratedKeyCases.all,
        QueryErrorCases.all,
        ExplainCases.all, LawCases.all, GeneratedLawCases.all, DictionaryCases.all, HavingCases.all,
        ProjectionCases.all, PendingRelationshipCases.all, RequestOptionCases.all, AsynchronousCases.all,
        TemplateCases.all, QuantifierCases.all, SelectionCases.all, GivenObjectCases.all, DistinctCases.all,
        LongQueryCases.all, BatchInsertCases.all, RelatedInsertCases.all, UpsertCases.all,
        BatchUpdateCases.all, BatchDeleteCases.all, BatchOutcomeCases.all, RemoteChangesCases.all,
        OtherCoordinatorCases.all, SaveEventCases.all, TombstoneCases.all, RemoteEventCases.all,
        InterleavedEventCases.all, HistoryCases.all, HistoryRequestCases.all, HistoryStoreCases.all,
        ExternalHistoryCases.all, HistoryDamageCases.all, AsOfCases.all, AsOfOtherWriterCases.all,
        ReopenCases.all, ClosingCases.all, GrowingCases.all, OpeningErrorCases.all,
        BadPathCases.all, OwnFileCases.all, ChangedFileCases.all, ValueErrorCases.all, RemovedStoreCases.all,
        VerifyingCases.all, FederationCases.all, FederatedSavingCases.all, FederatedBatchCases.all,
        FederatedSnapshotCases.all, StoreFileCases.all, BackupCases.all, ConversionCases.all, CompositeChangeCases.conversion,
        DerivedMigrationCases.all, AttributeMigrationCases.all, RelationshipMigrationCases.all,
        EntityMigrationCases.all, MigrationCases.all, LossMigrationCases.all, CompositeMigrationCases.all,
        StagedMigrationCases.all, MappingMigrationCases.all, MigrationProgressCases.all,
        GeneratedMigrationCases.all,
    ]
}
