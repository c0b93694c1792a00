import FoundationEssentials
import Strata
import StrataTestModels

/// Two colours.
struct ColorScheme: CompositeValue, Equatable {
    var primary: String?
    var secondary: String?

    static let elements: [CompositeElement<Self>] = [.init("primary", \.primary), .init("secondary", \.secondary)]

    init() {}

    init(_ primary: String?, _ secondary: String? = nil) {
        self.primary = primary
        self.secondary = secondary
    }
}

/// A point, which is there as a whole or not at all.
struct Position: CompositeValue, Equatable {
    var latitude = 0.0
    var longitude = 0.0

    static let elements: [CompositeElement<Self>] = [.init("latitude", \.latitude), .init("longitude", \.longitude)]

    init() {}

    init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A city, a point in it, and the date of a visit.
struct Site: CompositeValue, Equatable {
    var city: String?
    var position: Position?
    var visits: Int?
    var isOpen: Bool?
    var seen: Date?

    static let elements: [CompositeElement<Self>] = [
        .init("city", \.city).validation(.length(1...20)), .init("position", \.position), .init("visits", \.visits, type: .integer32),
        .init("isOpen", \.isOpen), .init("seen", \.seen),
    ]

    init() {}

    init(_ city: String?, _ position: Position? = nil, visits: Int? = nil) {
        self.city = city
        self.position = position
        self.visits = visits
    }
}

/// What composite attributes are of.
final class Theme: ManagedObject {
    static let name = Key<String>("name")
    static let colors = Key<ColorScheme>("colors")
    static let site = Key<Site>("site")
    static let parent = ToOne<Theme>("parent")
    static let children = ToMany<Theme>("children")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var colors: ColorScheme? {
        get { self[Self.colors] }
        set { self[Self.colors] = newValue }
    }
    var site: Site? {
        get { self[Self.site] }
        set { self[Self.site] = newValue }
    }
    var parent: Theme? {
        get { self[Self.parent] }
        set { self[Self.parent] = newValue }
    }
    var children: Set<Theme> { self[Self.children] }

    @discardableResult
    convenience init(_ name: String, _ context: ManagedObjectContext, _ colors: ColorScheme? = nil, _ site: Site? = nil) {
        self.init(context: context)
        self.name = name
        self.colors = colors
        self.site = site
    }
}

extension Models {
    /// Themes, with an index over elements and a constraint over others.
    static let themes = ModelResult.declared {
        Entity("Theme", class: Theme.self) {
            Attribute(Theme.name, .string)
            Attribute(Theme.colors)
            Attribute(Theme.site)
            Attribute("note") { Attribute("text", .string) }.transient
            Relationships(["parent": .toOne("Theme.children"), "children": .toMany("Theme.parent")])
            FetchIndex("byColor", on: "colors.primary", "site.visits")
            Unique("site.position.latitude", "site.position.longitude")
        }
    }
}
