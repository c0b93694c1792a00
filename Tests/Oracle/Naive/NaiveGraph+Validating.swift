extension NaiveGraph {
    /// What a save of this graph finds invalid, against the graph that was read: `tag.key.code` for each failure.
    func failures(since base: NaiveGraph) -> Set<String> {
        var failures: Set<String> = []
        for (tag, object) in objects {
            let before = base.objects[tag]
            if before != nil, sorted(tag) == base.sorted(tag) { continue }
            for (index, field) in schema.fields(of: object.kind).enumerated() {
                let value = object.values[index]
                if let before, before.values[index] == value { continue }
                guard let value else {
                    if field.isRequired { failures.insert("\(tag).\(field.name).1570") }
                    continue
                }
                if let range = field.range, !range.contains(value) {
                    failures.insert("\(tag).\(field.name).\(value < range.lowerBound ? 1620 : 1610)")
                }
                if let length = field.greatestLength, "\(value)".count + 1 > length { failures.insert("\(tag).\(field.name).1660") }
            }
            for index in schema.ends(of: object.kind) {
                let (end, members) = (schema.ends[index], object[index])
                if let before, before[index].sorted() == members.sorted() { continue }
                if end.shape == .one {
                    if end.isRequired && members.isEmpty { failures.insert("\(tag).\(end.name).1570") }
                } else if !members.isEmpty {
                    if members.count < end.least { failures.insert("\(tag).\(end.name).1580") }
                    if end.most > 0 && members.count > end.most { failures.insert("\(tag).\(end.name).1590") }
                }
            }
        }
        for (tag, object) in deleted where base.objects[tag] != nil {
            for index in schema.ends(of: object.kind) where schema.ends[index].rule == .deny {
                if object[index].contains(where: { objects[$0] != nil }) { failures.insert("\(tag).\(schema.ends[index].name).1600") }
            }
        }
        return failures
    }

    /// Whether two objects have the same unique value.
    var breaksConstraint: Bool {
        schema.uniqueKinds.contains { root in
            let codes = objects.values.filter { schema.root($0.kind) == root }.compactMap { object in
                zip(schema.fields(of: object.kind), object.values).first { $0.0.name == "code" }?.1
            }
            return Set(codes).count != codes.count
        }
    }
}
