/// An object as the oracle has it.
struct NaiveObject: Equatable {
    let kind: Int
    /// The numbers of the values of the entity's attributes, in their order.
    var values: [Int?]
    /// The tags that each relationship leads to, by the index of the end.
    var refs: [Int: [Int]] = [:]

    subscript(end: Int) -> [Int] { refs[end] ?? [] }
}

/// Objects by their tags, and what is known of their relationships: plain dictionaries, changed in the plainest way.
struct NaiveGraph {
    let schema: Schema
    var objects: [Int: NaiveObject] = [:]
    /// Those that are deleted, and that the next save takes away.
    var deleted: [Int: NaiveObject] = [:]

    init(_ schema: Schema) { self.schema = schema }

    subscript(tag: Int, end: Int) -> [Int] { objects[tag]?[end] ?? deleted[tag]?[end] ?? [] }

    private mutating func set(_ tags: [Int], _ tag: Int, _ end: Int) {
        let kept = tags.isEmpty ? nil : tags
        if objects[tag] != nil { objects[tag]?.refs[end] = kept } else { deleted[tag]?.refs[end] = kept }
    }

    mutating func insert(_ tag: Int, _ kind: Int) {
        objects[tag] = NaiveObject(kind: kind, values: schema.fields(of: kind).map { field in field.standard.map(field.type.kept) })
    }

    // MARK: - Relating

    /// Takes a link away, at both its ends.
    mutating func unlink(_ tag: Int, _ end: Int, _ other: Int) {
        set(self[tag, end].filter { $0 != other }, tag, end)
        let inverse = schema.ends[end].inverse
        set(self[other, inverse].filter { $0 != tag }, other, inverse)
    }

    /// Makes a link, at both its ends; what stood in its way goes.
    ///
    /// - Parameter saved: What was saved: a member that comes back to an ordered relationship through its own end stands where it stood.
    mutating func link(_ tag: Int, _ end: Int, _ other: Int, saved: NaiveGraph? = nil) {
        if self[tag, end].contains(other) { return }
        let inverse = schema.ends[end].inverse
        if !schema.ends[end].isToMany { for old in self[tag, end] { unlink(tag, end, old) } }
        if !schema.ends[inverse].isToMany { for old in self[other, inverse] { unlink(other, inverse, old) } }
        set(self[tag, end] + [other], tag, end)
        if self[other, inverse].contains(tag) { return }
        var members = self[other, inverse]
        let order = saved?[other, inverse] ?? []
        if let index = order.firstIndex(of: tag), schema.ends[inverse].shape == .ordered {
            let anchor = order[..<index].last(where: members.contains)
            members.insert(tag, at: anchor.flatMap(members.firstIndex).map { $0 + 1 } ?? 0)
        } else {
            members.append(tag)
        }
        set(members, other, inverse)
    }

    /// Has a relationship lead to some objects, in this order, and to no others.
    mutating func relate(_ tag: Int, _ end: Int, to others: [Int], saved: NaiveGraph? = nil) {
        for old in self[tag, end] where !others.contains(old) { unlink(tag, end, old) }
        for other in others { link(tag, end, other, saved: saved) }
        if schema.ends[end].shape == .ordered { set(others, tag, end) }
    }

    // MARK: - Deleting

    /// Deletes an object, and what its rules take with it.
    ///
    /// - Parameter isNew: Whether an object was never saved.
    mutating func delete(_ tag: Int, isNew: (Int) -> Bool) {
        var due = [tag]
        while let tag = due.popLast() {
            guard let object = objects.removeValue(forKey: tag) else { continue }
            deleted[tag] = object
            for end in schema.ends(of: object.kind) {
                let inverse = schema.ends[end].inverse
                for other in object[end] {
                    switch schema.ends[end].rule {
                    case .cascade: due.append(other)
                    case .deny where !isNew(tag): break
                    case .deny, .nullify:
                        if objects[other] != nil { set(self[other, inverse].filter { $0 != tag }, other, inverse) }
                    }
                }
            }
        }
        for (tag, object) in deleted where isNew(tag) {
            deleted[tag] = nil
            // What has a rule of its own to keep it: nothing leads to what never was.
            for end in schema.ends(of: object.kind) {
                let inverse = schema.ends[end].inverse
                for other in object[end] where objects[other] != nil {
                    set(self[other, inverse].filter { $0 != tag }, other, inverse)
                }
            }
        }
    }

    // MARK: - Comparing

    /// What rows hold: values, and to-one destinations.
    func row(_ tag: Int) -> NaiveObject? {
        guard var object = objects[tag] else { return nil }
        object.refs = object.refs.filter { !schema.ends[$0.key].isToMany }
        return object
    }

    /// An object with the members of unordered relationships sorted.
    func sorted(_ tag: Int) -> NaiveObject? {
        guard var object = objects[tag] else { return nil }
        for (end, tags) in object.refs where schema.ends[end].shape != .ordered { object.refs[end] = tags.sorted() }
        return object
    }

    /// A line for each object.
    var lines: [String] { objects.keys.sorted().compactMap { line($0) } }

    func line(_ tag: Int) -> String? {
        guard let object = sorted(tag) else { return nil }
        let values = zip(schema.fields(of: object.kind), object.values).map { "\($0.name)=\($1.map { "\($0)" } ?? "-")" }
        let refs = object.refs.sorted { $0.key < $1.key }.map { "\(schema.ends[$0.key].name):\($0.value)" }
        return "\(schema.kinds[object.kind].name) \(tag) " + (values + refs).joined(separator: " ")
    }
}
