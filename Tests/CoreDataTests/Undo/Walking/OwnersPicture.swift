import CoreData

/// The objects of ``OwnersModel`` as plain values, with Core Data's rules written out once more, as simply as can be.
struct OwnersPicture: Equatable {
    struct Item: Equatable {
        let entity: String
        var note: String?
        /// The names of destinations; sorted where there is no order.
        var links: [String: [String]] = [:]
    }

    struct End {
        let entity: String
        let name: String
        let destination: String
        let inverse: String
        var isToMany = true
        var isOrdered = false
        var cascades = false
    }

    static let ends = [
        End(entity: "Owner", name: "pets", destination: "Pet", inverse: "owner", cascades: true),
        End(entity: "Owner", name: "visits", destination: "Visit", inverse: "owner", isOrdered: true),
        End(entity: "Owner", name: "friends", destination: "Owner", inverse: "friendOf"),
        End(entity: "Owner", name: "friendOf", destination: "Owner", inverse: "friends"),
        End(entity: "Pet", name: "owner", destination: "Owner", inverse: "pets", isToMany: false),
        End(entity: "Visit", name: "owner", destination: "Owner", inverse: "visits", isToMany: false),
    ]

    private(set) var items: [String: Item] = [:]

    init() {}

    /// What a context has.
    init(_ context: NSManagedObjectContext) throws {
        for entity in ["Owner", "Pet", "Visit"] {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                var item = Item(entity: entity, note: object.value(forKey: "note") as? String)
                for end in Self.ends where end.entity == entity { item.links[end.name] = object.names(end.name) }
                items[object.name ?? "–"] = item
            }
        }
    }

    /// The names of an entity's objects.
    func names(_ entity: String? = nil) -> [String] { items.filter { entity == nil || $0.value.entity == entity }.keys.sorted() }

    func links(_ name: String, _ end: End) -> [String] { items[name]?.links[end.name] ?? [] }

    private static func inverse(_ end: End) -> End { ends.first { $0.entity == end.destination && $0.name == end.inverse } ?? end }

    private mutating func setLinks(_ name: String, _ end: End, _ names: [String]) {
        items[name]?.links[end.name] = end.isOrdered ? names : names.sorted()
    }

    mutating func insert(_ name: String, _ entity: String) {
        items[name] = Item(entity: entity)
        for end in Self.ends where end.entity == entity { setLinks(name, end, []) }
    }

    mutating func setNote(_ note: String?, of name: String) { items[name]?.note = note }

    mutating func relate(_ name: String, _ end: End, _ others: [String]) {
        let inverse = Self.inverse(end)
        let before = links(name, end)
        for other in before where !others.contains(other) { setLinks(other, inverse, links(other, inverse).filter { $0 != name }) }
        setLinks(name, end, before.filter(others.contains))
        for other in others where !before.contains(other) {
            if !inverse.isToMany { for owner in links(other, inverse) { setLinks(owner, end, links(owner, end).filter { $0 != other }) } }
            setLinks(other, inverse, (inverse.isToMany ? links(other, inverse) : []) + [name])
        }
        setLinks(name, end, others)
    }

    mutating func delete(_ name: String) {
        guard let entity = items[name]?.entity else { return }
        for end in Self.ends where end.entity == entity {
            let others = links(name, end)
            relate(name, end, [])
            if end.cascades { for other in others { delete(other) } }
        }
        items[name] = nil
    }
}
