import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

extension RowPlanner {
    /// What to look for, and what indexes and references tell of it.
    struct Search {
        /// What answers a condition.
        enum Answer: Equatable {
            case none, references
            /// Keys of a slot.
            case slot(Slot)

            /// Returns whether the rows of a match surely meet the condition.
            func isMade(by match: IndexMatch) -> Bool { if case .slot(let slot) = self { match.answers(slot) } else { false } }
        }

        let entity: EntityDescription
        let entities: Range<EntityIndex>
        let conjuncts: [ResolvedPredicate]
        /// Whether only the number of rows is asked for.
        var countsOnly = false
        /// What answers each of the conjuncts.
        private(set) var answers: [Answer] = []
        /// The conditions on slots, one for each slot that there are any for.
        private(set) var slots: [SlotCondition] = []
        /// The references that conditions admit, upward, with the place of the condition and how they were found.
        private(set) var references: [(position: Int, references: [Int64], path: [PlanExplanation.Access])] = []
        /// How the conditions over slots were found that are about other objects.
        private var paths: [(slot: Slot, path: [PlanExplanation.Access])] = []
        private(set) var isContradictory = false

        init(_ entity: EntityDescription, _ entities: Range<EntityIndex>, _ conjuncts: [ResolvedPredicate], _ storeID: StoreID?) {
            self.entity = entity
            self.entities = entities
            self.conjuncts = conjuncts
            answers.reserveCapacity(conjuncts.count)
            // What more conditions demand of slots, by their places: many are better combined at once.
            var demands: [Int: [KeySet]] = [:]
            for (position, conjunct) in conjuncts.enumerated() {
                answers.append(.none)
                if case .constant(false) = conjunct { isContradictory = true }
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

        /// Takes in that a conjunct admits some references, which are upward.
        mutating func add(_ references: [Int64], _ position: Int, _ path: [PlanExplanation.Access]) {
            self.references.append((position, references, path))
            answers[position] = .references
        }

        /// Takes in that a conjunct admits some keys of a slot.
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

        /// Returns the conjuncts that are left to test where some are answered.
        func rest(without isAnswered: (Answer) -> Bool) -> [ResolvedPredicate] {
            if answers.allSatisfy(isAnswered) { return [] }
            return conjuncts.indices.filter { !isAnswered(answers[$0]) }.map { conjuncts[$0] }
        }

        /// Returns the conjuncts that are left to test of the rows of a match.
        func rest(behind match: IndexMatch) -> [ResolvedPredicate] { rest { $0.isMade(by: match) } }

        /// How the conditions were found that a match answers.
        func path(to match: IndexMatch) -> [PlanExplanation.Access] {
            if paths.isEmpty { return [] }
            return paths.filter { match.answers($0.slot) }.sorted { $0.slot < $1.slot }.flatMap(\.path)
        }

        /// How the objects were looked for that conditions are about beside the rows, where there turned out to be none.
        var pathToOthers: [PlanExplanation.Access] { paths.isEmpty ? [.references] : paths.flatMap(\.path) }

        /// Returns the references that a condition on the object itself admits, upward; `nil` for another condition.
        private static func references(_ predicate: ResolvedPredicate, _ storeID: StoreID?) -> [Int64]? {
            guard case .comparison(let comparison) = predicate, comparison.left.variable == 0, comparison.left.steps.isEmpty,
                case .object = comparison.left.leaf, let constant = comparison.right.constant
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
