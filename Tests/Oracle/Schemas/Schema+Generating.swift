import StrataTestRandom

extension Schema {
    /// A schema that a seed determines: two to four entities, of which some are others' children, and four to seven pairs of relationships.
    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed &* 31 &+ 7)
        func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        func chance(_ percent: Int) -> Bool { below(100) < percent }

        for index in 0..<(2 + below(3)) {
            var kind = Kind(name: "E\(index)")
            if index > 1, chance(60) { kind.parent = below(index) }
            if kind.parent == nil {
                kind.attributes.append(Field(name: "number", type: .int))
                kind.attributes.append(Field(name: "code", type: .text))
                if chance(35) { uniqueKinds.append(index) }
            }
            for number in 0..<(1 + below(3)) {
                let type = random.pick(FieldType.allCases)
                var field = Field(name: "a\(index)_\(number)", type: type)
                if chance(30) { field.standard = below(9) }
                if chance(15) { field.isRequired = true }
                if type.isNumber, chance(50) { field.range = 0...9 }
                if type == .text, chance(50) { field.greatestLength = 2 }
                kind.attributes.append(field)
            }
            kinds.append(kind)
        }
        for number in 0..<(4 + below(4)) {
            let (source, destination) = (below(kinds.count), below(kinds.count))
            let index = ends.count
            if source == destination, chance(25) {
                let shape: Shape = chance(50) ? .one : .many
                ends.append(
                    End(name: "r\(number)", owner: source, destination: source, inverse: index, shape: shape, rule: .nullify))
                continue
            }
            func rule() -> Rule { chance(60) ? .nullify : chance(60) ? .cascade : .deny }
            func shape() -> Shape { chance(45) ? .one : chance(55) ? .many : .ordered }
            var forward = End(
                name: "r\(number)", owner: source, destination: destination, inverse: index + 1, shape: shape(), rule: rule())
            var backward = End(
                name: "b\(number)", owner: destination, destination: source, inverse: index, shape: shape(), rule: rule())
            if forward.shape == .one, backward.isToMany, chance(12) { forward.isRequired = true }
            if backward.isToMany, chance(12) { backward.most = 2 }
            if forward.isToMany, chance(8) { forward.least = 2 }
            ends += [forward, backward]
        }
    }
}
