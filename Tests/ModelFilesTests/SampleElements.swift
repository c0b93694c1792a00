/// A model in the format of Xcode 3, as the archive in the file `elements`.
enum SampleElements {
    /// Two entities with a parent, a pair of relationships and a fetch request.
    static let shop = model([
        "Article": entity(
            "Article", ["XD_PSK_isAbstract": .bool(true), "XD_PSK_entityClassName": .text("ArticleMO"), "XD_PSK_userInfo": info],
            [
                "code": attribute("code", 700, ["XD_PAttK_maxValueString": .text("9"), "XD_PAttK_defaultValueAsString": .text("a<b")]),
                "amount": attribute("amount", 200, ["XD_PAttK_defaultValueAsString": .text("NO"), "XD_PPSK_isIndexed": .bool(true)]),
                "cached": attribute("cached", 0, ["XD_PPSK_isTransient": .bool(true), "XD_PPSK_isOptional": .bool(true)]),
                "order": relationship("order", to: "Order", inverse: "articles", [:]),
            ]),
        "Book": entity("Book", [:], ["title": attribute("title", 700, ["XD_PPSK_userInfo": info])], parent: "Article"),
        "Order": entity(
            "Order",
            [
                "XD_PSK_fetchRequestsArray": .list([
                    .object(
                        "XDPMFetchRequest",
                        ["_name": .text("all"), "_entity": named("XDPMEntity", "Order"), "_predicateString": .text("day != nil")])
                ])
            ],
            [
                "day": attribute("day", 900, [:]),
                "articles": relationship(
                    "articles", to: "Article", inverse: "order",
                    ["XD_PRK_isToMany": .bool(true), "XD_PRK_maxCount": .int(0), "XD_PRK_deleteRule": .int(2)]),
            ]),
    ])

    private static let info = Archived.dictionary(["k": .text("v")])

    static func model(_ entities: [String: Archived]) -> Archived { model(.dictionary(entities)) }

    static func model(_ entities: Archived) -> Archived {
        .object(
            "XDPMModel",
            [
                "_modelVersionIdentifier": .text("v3"),
                "_xd_rootPackage": .object("XDModelPackage", ["XDBucketForClassesstorage": entities]),
            ])
    }

    static func entity(
        _ name: String, _ values: [String: Archived], _ properties: [String: Archived], parent: String? = nil
    ) -> Archived {
        let general = parent.map { [Archived.object("XDUMLGeneralizationImp", ["_general": named("XDPMEntity", $0)])] } ?? []
        return .object(
            "XDPMEntity",
            [
                "_name": .text(name), "XDBucketForStereotypesstorage": stereotypes(["XD_PStereotype": values]),
                "XDBucketForOwnedAttributesstorage": .dictionary(properties), "XDBucketForGeneralizationsstorage": .list(general),
            ])
    }

    static func attribute(_ name: String, _ type: Int, _ values: [String: Archived]) -> Archived {
        property("XDPMAttribute", name, ["XD_PAtt_Stereotype": values.merging(["XD_PAttK_attributeType": .int(type)]) { $1 }])
    }

    static func relationship(_ name: String, to entity: String, inverse: String, _ values: [String: Archived]) -> Archived {
        let ends: [String: Archived] = [
            "XD_PRK_destination": named("XDPMEntity", entity), "XD_PRK_inverseRelationship": named("XDPMRelationship", inverse),
        ]
        return property(
            "XDPMRelationship", name,
            ["XD_PR_Stereotype": values.merging(ends) { $1 }, "XD_PPropStereotype": ["XD_PPSK_isOptional": .bool(true)]])
    }

    static func property(_ className: String, _ name: String, _ values: [String: [String: Archived]]) -> Archived {
        .object(className, ["_name": .text(name), "XDBucketForStereotypesstorage": stereotypes(values)])
    }

    private static func named(_ className: String, _ name: String) -> Archived { .object(className, ["_name": .text(name)]) }

    private static func stereotypes(_ values: [String: [String: Archived]]) -> Archived {
        .dictionary(
            values.mapValues { values in
                let held = values.map { ($0, Archived.object("XDUMLPropertyImp", ["_name": .text($0), "_default": $1])) }
                return .object(
                    "XDUMLStereotypeImp",
                    ["XDBucketForOwnedAttributesstorage": .dictionary(Dictionary(uniqueKeysWithValues: held))])
            })
    }
}
