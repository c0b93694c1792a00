extension RowPlanner {
    /// The conditions of a search, and their answers by indexes and references.
    struct Search {
        enum Answer: Equatable {
            case none, references
            case slot(Slot)

            /// Returns whether the rows of a match always meet the condition.
            func isMade(by match: IndexMatch) -> Bool { if case .slot(let slot) = self { match.answers(slot) } else { false } }
        }

        let entity: EntityDescription
        let entities: Range<EntityIndex>
        let conjuncts: [ResolvedPredicate]
        var countsOnly = false
        private(set) var answers: [Answer] = []
        private(set) var slots: [SlotCondition] = []
        /// The references that conditions admit, ascending, with the position of the condition and the access path.
        private(set) var references: [(position: Int, references: [Int64], path: [PlanExplanation.Access])] = []
        /// The access paths of conditions on slots that are about other objects.
        private var paths: [(slot: Slot, path: [PlanExplanation.Access])] = []
        private(set) var isContradictory = false
        /// The least reference that conditions admit.
        private(set) var first: Int64?

        init(_ entity: EntityDescription, _ entities: Range<EntityIndex>, _ conjuncts: [ResolvedPredicate], _ storeID: StoreID?) {
            self.entity = entity
            self.entities = entities
            self.conjuncts = conjuncts
            answers.reserveCapacity(conjuncts.count)
            // Several conditions on a slot, by positions: many are better combined at once.
            var demands: [Int: [KeySet]] = [:]
            for (position, conjunct) in conjuncts.enumerated() {
                answers.append(.none)
                if case .constant(false) = conjunct { isContradictory = true }
                if let least = Search.leastReference(conjunct, storeID) { first = max(first ?? least, least) }
                if let references = Search.references(conjunct, storeID) {
                    add(references, position, [.references])
                } else if let condition = SlotCondition(conjunct, storeID: storeID) {
                    if let known = slots.firstIndex(where: { $0.slot == condition.slot }) {
                        answers[position] = .slot(condition.slot)
                        demands[known, default: []].append(condition.keys)
                    } else {
                        add(condition, position)
                    }
                }
            }
            for (known, demands) in demands {
                slots[known].keys = KeySet.combine([slots[known].keys] + demands) { $0.intersection($1) }
                if slots[known].keys.isEmpty { isContradictory = true }
            }
        }

        /// Adds ascending references that a conjunct admits.
        mutating func add(_ references: [Int64], _ position: Int, _ path: [PlanExplanation.Access]) {
            self.references.append((position, references, path))
            answers[position] = .references
        }

        /// Adds keys of a slot that a conjunct admits.
        mutating func add(_ condition: SlotCondition, _ position: Int, _ path: [PlanExplanation.Access] = []) {
            answers[position] = .slot(condition.slot)
            if !path.isEmpty { paths.append((condition.slot, path)) }
            var keys = condition.keys
            if let known = slots.firstIndex(where: { $0.slot == condition.slot }) {
                keys = slots[known].keys.intersection(keys)
                slots[known].keys = keys
            } else {
                slots.append(condition)
            }
            if keys.isEmpty { isContradictory = true }
        }

        /// Returns the conjuncts left to test.
        func rest(without isAnswered: (Answer) -> Bool) -> [ResolvedPredicate] {
            if answers.allSatisfy(isAnswered) { return [] }
            return conjuncts.indices.filter { !isAnswered(answers[$0]) }.map { conjuncts[$0] }
        }

        func rest(behind match: IndexMatch) -> [ResolvedPredicate] { rest { $0.isMade(by: match) } }

        func path(to match: IndexMatch) -> [PlanExplanation.Access] {
            if paths.isEmpty { return [] }
            return paths.filter { match.answers($0.slot) }.sorted { $0.slot < $1.slot }.flatMap(\.path)
        }

        /// The access paths to other objects in conditions, where there turned out to be none.
        var pathToOthers: [PlanExplanation.Access] { paths.isEmpty ? [.references] : paths.flatMap(\.path) }

        /// Returns a lower bound of the references that a condition on the object itself admits; `nil` for another condition.
        private static func leastReference(_ predicate: ResolvedPredicate, _ storeID: StoreID?) -> Int64? {
            guard case .comparison(let comparison) = predicate, comparison.left.isObjectItself,
                case .objectID(let id)? = comparison.right.constant,
                comparison.operator == .greater || comparison.operator == .greaterOrEqual, id.storeID == storeID
            else { return nil }
            return id.reference
        }

        /// Returns the references that a condition on the object itself admits, ascending; `nil` for another condition.
        private static func references(_ predicate: ResolvedPredicate, _ storeID: StoreID?) -> [Int64]? {
            guard case .comparison(let comparison) = predicate, comparison.left.isObjectItself, let constant = comparison.right.constant
            else { return nil }
            let rootName = comparison.left.entity.rootName
            func isHere(_ id: ObjectID) -> Bool { id.storeID == storeID && id.reference > 0 && id.entity.rootName == rootName }
            switch (comparison.operator, constant) {
            case (.equal, .objectID(let id)): return isHere(id) ? [id.reference] : []
            case (.isIn, .list(let values)):
                var references: [Int64] = []
                references.reserveCapacity(values.count)
                for case .objectID(let id) in values where isHere(id) { references.append(id.reference) }
                return references.sortedUniquely()
            default: return nil
            }
        }
    }
}
