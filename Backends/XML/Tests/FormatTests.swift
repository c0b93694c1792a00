import Foundation
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import StrataXML
import Testing

@Suite struct FormatTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Vehicle", isAbstract: true) {
                Attribute("topSpeed", .integer16)
                Relationship("owner", to: "Person", inverse: "vehicles").required
            }
            Entity("SportCar", parent: "Vehicle") { Attributes(["builtOn": .date, "photo": .binary, "isFast": .boolean]) }
            Entity("Person") {
                Attribute("fullName", .string)
                Relationship("vehicles", to: "Vehicle", inverse: "owner", .ordered, maxCount: 9)
            }
        }
    }

    @Test("A small store is written as Core Data would write it, and the comment with the checksum")
    func exactText() throws {
        let model = try model()
        var builder = format.builder(model)
        builder.contents.metadata = StoreMetadata(
            type: .xml,
            storeID: "F17B8B92-EEB0-4A30-98EC-425208280CBC",
            versionHashes: ["Person": Array(0..<32), "SportCar": Array(1..<33)],
            versionIdentifiers: [""],
            userInfo: ["StrataVersion": .string("1")]
        )
        try builder.add(
            "SportCar",
            102,
            ["topSpeed": 320, "builtOn": .date(Date(timeIntervalSinceReferenceDate: 259_495_720.564060002565)), "isFast": true],
            toOne: ["owner": ("Person", 103, 1024)]
        )
        try builder.add("Person", 103, ["fullName": "Ann & <Bo>"])
        try builder.add("Person", 104, ["fullName": ""])
        try builder.add("SportCar", 105, ["photo": .data(Data((0..<60).map { UInt8($0) }))])
        let scratch = try format.saved(builder.contents, model)
        let expected = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo>
                    <version>134481920</version>
                    <UUID>F17B8B92-EEB0-4A30-98EC-425208280CBC</UUID>
                    <nextObjectID>105</nextObjectID>
                    <metadata>
                        <plist version="1.0">
                            <dict>
                                <key>NSStoreModelVersionChecksumKey</key>
                                <string>C8XkepY1E4woWwAAyi81YItXr5CMuwY6mfvf2iLupTo=</string>
                                <key>NSStoreModelVersionHashes</key>
                                <dict>
                                    <key>Person</key>
                                    <data>
            \t\tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
            \t\t</data>
                                    <key>SportCar</key>
                                    <data>
            \t\tAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=
            \t\t</data>
                                </dict>
                                <key>NSStoreModelVersionHashesDigest</key>
                                <string>Zzv5/tZJy/RrSI/R6ZsI4Go3UQrDnq+Ukr1G0SF7JQZB9TgLS7KZEAiaK+14XTaA6rxMbp9E5fRYRtg17I9eng==</string>
                                <key>NSStoreModelVersionHashesVersion</key>
                                <integer>3</integer>
                                <key>NSStoreModelVersionIdentifiers</key>
                                <array>
                                    <string></string>
                                </array>
                                <key>StrataVersion</key>
                                <string>1</string>
                            </dict>
                        </plist>
                    </metadata>
                </databaseInfo>
                <object type="SPORTCAR" id="z102">
                    <attribute name="topspeed" type="int16">320</attribute>
                    <attribute name="builton" type="date">259495720.56406000256538391113</attribute>
                    <attribute name="isfast" type="bool">1</attribute>
                    <relationship name="owner" type="0/1" destination="PERSON" idrefs="z103"></relationship>
                </object>
                <object type="PERSON" id="z103">
                    <attribute name="fullname" type="string">Ann \\u2600 \\u3c00Bo\\u3e00</attribute>
                    <relationship name="vehicles" type="0/9" destination="VEHICLE" idrefs="z102"></relationship>
                </object>
                <object type="PERSON" id="z104">
                    <attribute name="fullname" type="string"></attribute>
                    <relationship name="vehicles" type="0/9" destination="VEHICLE"></relationship>
                </object>
                <object type="SPORTCAR" id="z105">
                    <attribute name="photo" type="binary">AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4
            OTo7
            </attribute>
                    <relationship name="owner" type="0/1" destination="PERSON"></relationship>
                </object>

            """
        let text = try scratch.text()
        #expect(text.hasPrefix(expected))
        let comment = try #require(text.dropFirst(expected.count).wholeMatch(of: /\ {4}<!-- crc32c ([0-9a-f]{8}) -->\n<\/database>/))
        let covered = Array((expected + "    ").utf8)
        #expect(UInt32(comment.output.1, radix: 16) == CRC32C.checksum(of: covered))
    }

    @Test("What editors and other versions write differently is read the same")
    func variants() throws {
        let model = try model()
        let scratch = try ScratchFile()
        let text = """
            \u{FEFF}<?xml version='1.0' encoding="utf-8" standalone='no'?>
            <!DOCTYPE database SYSTEM "http://127.0.0.1:1/none.dtd">
            <?target?>
            <database><!-- a comment --><databaseInfo><version> 134481920 </version><UUID>A</UUID>
            <nextObjectID>7</nextObjectID><metadata/></databaseInfo>
            <?other data?>
            <object id='z9' type='sportCar'>
            <relationship name="OWNER" idrefs=" z3 "/><attribute type="int32" name="TopSpeed"> 12 </attribute></object>
            <object type="PERSON" id="z3"><attribute name="fullname" type="string">a&lt;&#66;<![CDATA[<c>]]>\\u2600&amp;</attribute>
            <relationship name="vehicles" type="0/0" destination="X" idrefs="z9"/></object>
            </database>
            """
        try scratch.put(text)
        let loaded = try format.load(scratch.path, model)
        #expect(loaded.metadata.storeID == "A")
        #expect(loaded.lastReference.values.allSatisfy { $0 == 9 })
        let person = try #require(model.entity(named: "Person"))
        let row = try #require(loaded.rows[person.root]?.first)
        #expect(row.value(try #require(person.attribute(named: "fullName")?.slot), .string) == "a<B<c>&&")
        let root = try #require(model.entity(named: "Vehicle")).index
        let car = try #require(loaded.rows[root]?.first)
        #expect(car.value(try #require(model.entity(named: "Vehicle")?.attribute(named: "topSpeed")?.slot), .integer) == 12)
        guard case .toOne(let owner, _, let order?) = try #require(model.entity(named: "SportCar")?.relationship(named: "owner")).storage
        else {
            throw CancellationError()
        }
        #expect(car.integer(owner) == 3)
        #expect(car.integer(order) == 1024)
    }

    @Test("An edited file says how to accept it, and is accepted without the comment")
    func editing() throws {
        let model = try model()
        var builder = format.builder(model)
        try builder.add("Person", 1, ["fullName": "Ann"])
        let scratch = try format.saved(builder.contents, model)
        let edited = try scratch.text().replacing("Ann", with: "Ben")
        try scratch.put(edited)
        let error = try storeError { _ = try format.load(scratch.path, model) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("remove the line that begins with <!-- crc32c") == true)
        try scratch.put(edited.split(separator: "\n").filter { !$0.contains("<!-- crc32c") }.joined(separator: "\n"))
        #expect(try format.load(scratch.path, model).rows.values.first?.count == 1)
    }

    @Test("Objects that name an owner without being in its list come behind those in it")
    func unlisted() throws {
        let model = try model()
        let scratch = try ScratchFile()
        func car(_ id: Int) -> String { "<object type=\"SPORTCAR\" id=\"z\(id)\"><relationship name=\"owner\" idrefs=\"z1\"/></object>" }
        try scratch.put(
            Document.text(
                "<object type=\"PERSON\" id=\"z1\"><relationship name=\"vehicles\" idrefs=\"z4 z2\"/></object>\(car(2))\(car(3))\(car(4))"
            )
        )
        let loaded = try format.load(scratch.path, model)
        guard case .toOne(_, _, let order?)? = model.entity(named: "SportCar")?.relationship(named: "owner")?.storage else {
            Issue.record("the relationship keeps no order")
            return
        }
        let root = try #require(model.entity(named: "Vehicle")).index
        let cars = try #require(loaded.rows[root])
        #expect(cars.map { $0.integer(order) } == [2048, 3072, 1024])
    }
}

/// Documents around some objects.
enum Document {
    static let beginning = "<?xml version=\"1.0\"?>\n"
    static let information =
        "<databaseInfo><version>134481920</version><UUID>A</UUID><nextObjectID>1</nextObjectID><metadata></metadata></databaseInfo>"

    static func text(_ objects: String) -> String { "\(beginning)<database>\(information)\(objects)</database>" }
}
