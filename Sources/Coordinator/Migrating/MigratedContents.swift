import StrataStore

/// The objects of one model, made of those of another by a mapping.
struct MigratedContents: Sendable {
    /// The mapping of the objects of an entity to one of the destination.
    private struct EntityPlan: Sendable {
        let target: EntityDescription
        let attributes: [AttributeStep]
        let relationships: [ToOneStep]
        let requirements: [CompositeRequirement]
        /// The links that the rows hold.
        let links: [(step: LinkStep, slot: ToOneSlot, side: LinkSide)]
        /// The reason why no object can be of the target.
        let refusal: String?
    }

    private let routes: MigrationRoutes
    /// By the index of the entity in the source; `nil` for removed objects.
    private let plans: [EntityPlan?]
    /// The roots of the source's hierarchies that the store holds.
    private let roots: [EntityDescription]
    private let linkSteps: [LinkStep]
    private let report: MigrationReport

    /// - Parameters:
    ///   - sourceEntities: The entities that the store holds.
    ///   - entities: Those that it holds afterwards.
    ///   - report: Is notified of each batch.
    init(_ routes: MigrationRoutes, sourceEntities: Set<EntityIndex>, entities: Set<EntityIndex>, _ report: MigrationReport) {
        self.routes = routes
        self.report = report
        let (source, destination) = (routes.source, routes.destination)
        roots = Set(sourceEntities.map { source.entities[$0].root }).sorted().map { source.entities[$0] }
        let steps = LinkStep.all(routes).filter { step in
            [step.table.first, step.table.second].allSatisfy { end in
                let root = destination.entities[end.entity].root
                return entities.contains { destination.entities[$0].root == root }
            }
        }
        let ofRows = steps.compactMap { step in step.slots(source).map { (step: step, entity: $0.entity, slot: $0.slot, side: $0.side) } }
        linkSteps = steps.filter { $0.slots(source) == nil }
        plans = source.entities.map { entity in
            routes.target(of: entity.index).map { target in
                return EntityPlan(
                    target: target,
                    attributes: target.attributes.compactMap { AttributeStep($0, of: target, routes) },
                    relationships: target.properties.compactMap(\.relationship).compactMap { ToOneStep($0, of: target, routes) },
                    requirements: routes.newRequirements(of: target),
                    links: ofRows.filter { entity.isKind(of: $0.entity) }.map { ($0.step, $0.slot, $0.side) },
                    refusal: StoreMigration.refusal(of: target, isHeld: entities.contains(target.index)))
            }
        }
    }

    /// Calls `body` with the store's new content, in batches.
    func forEachBatch(of reader: any StoreReader, _ body: (ChangeSet) throws -> Void) throws {
        let lookUp = MigrationLookUp(reader, routes)
        let hierarchies = roots.filter { root in root.hierarchy.contains { plans[$0] != nil } }
        let total = try hierarchies.reduce(0) { try $0 + reader.answer(FetchPlan($1, .count)).requireCount() }
        var done = 0
        for root in hierarchies {
            try lookUp.forEachBatch(ofHierarchy: root) { rows in
                var changes = ChangeSet()
                var writer = RowWriter()
                for row in rows {
                    guard let plan = plans[row.entityIndex] else { continue }
                    changes.inserted.append(try migrated(row, plan, lookUp, &writer))
                    changes.links += plan.links.compactMap { $0.step.link(of: row, $0.slot, $0.side, routes) }
                }
                if !changes.isEmpty { try body(changes) }
                done += rows.count
                try report.update(done, of: total + 1, entity: plans[root.index]?.target.name)
            }
        }
        for step in linkSteps {
            try step.forEachBatch(lookUp) { links in
                if !links.isEmpty { try body(ChangeSet(links: links)) }
            }
        }
    }

    private func migrated(_ row: Row, _ plan: EntityPlan, _ lookUp: MigrationLookUp, _ writer: inout RowWriter) throws -> Row {
        if let refusal = plan.refusal {
            throw StoreError(.migration, .migrate, "\(refusal) (p\(row.reference))", entity: plan.target.name)
        }
        let reference = routes.reference(row.reference, of: row.entityIndex)
        writer.begin(plan.target, reference: reference, version: row.version)
        for step in plan.attributes { try step.fill(&writer, from: row) }
        for step in plan.relationships { try step.fill(&writer, from: row, reference: reference, lookUp) }
        let migrated = writer.finish()
        func hasValue(_ attribute: AttributeDescription) -> Bool {
            guard let slot = attribute.slot else { return false }
            return !migrated.isNull(slot) || attribute.slotKind.isVariable && migrated.isUnavailable(slot)
        }
        if let missing = plan.requirements.first(where: { !$0.isMet(hasValue) }) {
            throw StoreError(
                .migration, .migrate, "\(missing.message) and has no default, and there is an object without it (p\(row.reference))",
                entity: plan.target.name, key: missing.name)
        }
        return migrated
    }
}
