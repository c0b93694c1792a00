import StrataTestRandom

/// Makes up the steps of a walk as it goes, from what the oracle sees: objects that are there, and now and then something in vain.
struct WalkMaker {
    private var random: SeededGenerator
    private var nextTag = 1
    private static let mostObjects = 12

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func next(_ oracle: Oracle, isPersistent: Bool) -> Operation {
        let at = below(oracle.contexts.count)
        let view = oracle.contexts[at].view
        let tags = view.objects.keys.sorted()
        if tags.count < 3 { return insert(at, oracle) }
        switch below(100) {
        case 0..<13: return tags.count < WalkMaker.mostObjects ? insert(at, oracle) : .delete(at: at, tag: random.pick(tags))
        case 13..<27: return set(at, oracle)
        case 27..<52: return relate(at, oracle)
        case 52..<56: return .delete(at: at, tag: random.pick(tags))
        case 56..<62: return .undo(at: at)
        case 62..<65: return .redo(at: at)
        case 65..<80: return .save(at: at, rollsBack: chance(60))
        case 80..<84: return .sync(at: at)
        case 84..<86: return .refresh(at: at, tag: random.pick(tags))
        case 86: return .rollback(at: at)
        case 87..<92: return .fetch(at: at, query(oracle))
        case 92: return .batchUpdate(kind: below(oracle.schema.kinds.count), least: below(10) - 2, number: below(9))
        case 93: return .batchDelete(kind: below(oracle.schema.kinds.count), number: below(9))
        case 94:
            nextTag += 2
            let tags = oracle.store.graph.objects.count < WalkMaker.mostObjects ? [nextTag - 2, nextTag - 1] : []
            return .batchInsert(kind: below(oracle.schema.kinds.count), tags: tags, number: below(9))
        case 95..<98:
            let inner =
                switch below(4) {
                case 0: set(at, oracle)
                case 1: relate(at, oracle)
                case 2: Operation.fetch(at: at, query(oracle))
                default: Operation.save(at: at, rollsBack: false)
                }
            return .failing(read: below(4), inner)
        case 98: return .policy(at: at, chance(50) ? 0 : below(5))
        default: return .reopen
        }
    }

    private mutating func insert(_ at: Int, _ oracle: Oracle) -> Operation {
        nextTag += 1
        return .insert(at: at, kind: below(oracle.schema.kinds.count), tag: nextTag - 1)
    }

    private mutating func set(_ at: Int, _ oracle: Oracle) -> Operation {
        let view = oracle.contexts[at].view
        let tag = random.pick(view.objects.keys.sorted())
        let fields = oracle.schema.fields(of: view.objects[tag]?.kind ?? 0)
        let field = below(fields.count)
        // What is required is missing mostly in new objects, and is to be given.
        let isWanted = fields[field].isRequired
        let value = chance(isWanted ? 3 : 15) ? nil : chance(6) ? -2 + below(15) : below(9)
        return .set(at: at, tag: tag, field: field, value: value)
    }

    private mutating func relate(_ at: Int, _ oracle: Oracle) -> Operation {
        let (view, schema) = (oracle.contexts[at].view, oracle.schema)
        let owners = view.objects.keys.sorted().filter { !schema.ends(of: view.objects[$0]?.kind ?? 0).isEmpty }
        if owners.isEmpty { return set(at, oracle) }
        let tag = random.pick(owners)
        let end = random.pick(schema.ends(of: view.objects[tag]?.kind ?? 0))
        let candidates = view.objects.keys.sorted().filter { schema.isKind(view.objects[$0]?.kind ?? 0, of: schema.ends[end].destination) }
        if candidates.isEmpty { return set(at, oracle) }
        if schema.ends[end].shape == .one {
            return .relate(at: at, tag: tag, end: end, to: chance(20) ? [] : [random.pick(candidates)])
        }
        var members = view[tag, end]
        for _ in 0...below(2) {
            let other = random.pick(candidates)
            if let position = members.firstIndex(of: other) {
                members.remove(at: position)
            } else {
                members.insert(other, at: below(members.count + 1))
            }
        }
        return .relate(at: at, tag: tag, end: end, to: members.filter { view.objects[$0] != nil })
    }

    private mutating func query(_ oracle: Oracle) -> NaiveQuery {
        let kind = below(oracle.schema.kinds.count)
        return NaiveQuery(
            kind: kind, condition: condition(kind, oracle.schema, 2), isSorted: chance(60), limit: chance(40) ? below(6) : nil,
            offset: chance(30) ? below(3) : 0)
    }

    private mutating func condition(_ kind: Int, _ schema: Schema, _ depth: Int) -> NaiveQuery.Condition {
        if depth > 0, chance(45) {
            let a = condition(kind, schema, depth - 1)
            switch below(3) {
            case 0: return .and(a, condition(kind, schema, depth - 1))
            case 1: return .or(a, condition(kind, schema, depth - 1))
            default: return .not(a)
            }
        }
        let ends = schema.ends(of: kind)
        let comparison = random.pick([NaiveQuery.Comparison.less, .equal, .greater])
        switch below(ends.isEmpty ? 3 : 7) {
        case 0: return .all
        case 1: return .code(chance(50) ? nil : below(9))
        case 2: return .number(comparison, below(9))
        default:
            let end = random.pick(ends)
            guard schema.ends[end].isToMany else { return .leadsSomewhere(end: end, chance(50)) }
            return chance(50) ? .count(end: end, comparison, below(4)) : .any(end: end, comparison, below(9))
        }
    }
}
