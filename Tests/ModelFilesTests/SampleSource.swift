import FoundationEssentials
import StrataModelFiles
import StrataTestSupport

/// Models as Xcode writes them.
enum SampleSource {
    /// Says everything that a model can hold.
    static let shop = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" systemVersion="23E224" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="shop-2">
            <entity name="Article" representedClassName="Article" isAbstract="YES" elementID="Thing" versionHashModifier="b" syncable="YES">
                <attribute name="added" attributeType="Date" defaultDateTimeInterval="708103500" minDateTimeInterval="0" maxDateTimeInterval="1000000000" usesScalarValueType="NO"/>
                <attribute name="amount" optional="YES" attributeType="Integer 16" minValueString="1" maxValueString="150" defaultValueString="7" usesScalarValueType="YES"/>
                <attribute name="cached" optional="YES" transient="YES"/>
                <attribute name="code" attributeType="String" minValueString="2" maxValueString="5" defaultValueString="a &quot;b&quot; &lt;&amp;&gt;&#10;c" regularExpressionString="[a-z]+" elementID="number" versionHashModifier="c"/>
                <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>
                <attribute name="isNew" optional="YES" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal" minValueString="0.5" defaultValueString="9.99">
                    <userInfo>
                        <entry key="unit" value="EUR"/>
                    </userInfo>
                </attribute>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="TagsTransformer" customClassName="[String]"/>
                <attribute name="url" optional="YES" attributeType="URI" defaultValueString="https://example.org"/>
                <attribute name="uuid" optional="YES" attributeType="UUID"/>
                <attribute name="weight" optional="YES" attributeType="Double" maxValueString="10" defaultValueString="0.0"/>
                <relationship name="orders" optional="YES" toMany="YES" minCount="1" maxCount="9" deletionRule="Deny" ordered="YES" destinationEntity="Order" inverseName="articles" inverseEntity="Order"/>
                <fetchIndex name="byCode">
                    <fetchIndexElement property="code" type="Binary" order="ascending"/>
                    <fetchIndexElement property="added" type="Binary" order="descending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="code"/>
                        <constraint value="amount"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo>
                    <entry key="author" value="us"/>
                </userInfo>
            </entity>
            <entity name="Book" representedClassName="ShopBook" parentEntity="Article" syncable="YES">
                <attribute name="title" attributeType="String" indexed="YES"/>
            </entity>
            <entity name="Order" syncable="YES">
                <attribute name="day" attributeType="Date"/>
                <relationship name="articles" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Article" inverseName="orders" inverseEntity="Article" elementID="things"/>
                <relationship name="first" maxCount="1" deletionRule="No Action" destinationEntity="Book" transient="YES"/>
                <fetchedProperty name="expensive" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Article" predicateString="price &gt; 100" fetchLimit="3"/>
                    <userInfo>
                        <entry key="k" value="v"/>
                    </userInfo>
                </fetchedProperty>
                <compoundIndexes>
                    <compoundIndex>
                        <index value="day"/>
                    </compoundIndex>
                </compoundIndexes>
            </entity>
            <fetchRequest name="byCode" entity="Article" predicateString="code == $CODE" fetchLimit="5" includeSubentities="YES"/>
            <configuration name="Local">
                <memberEntity name="Order"/>
            </configuration>
            <elements>
                <element name="Book" positionX="-54" positionY="0" width="128" height="59"/>
            </elements>
        </model>
        """

    /// A model of some entities.
    static func model(_ entities: String, attributes: String = "") -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<model documentVersion=\"1.0\" \(attributes)>\n\(entities)\n</model>"
    }

    /// The file of one version.
    static func file(_ text: String) throws -> ModelFile { try file(Array(text.utf8)) }

    static func file(_ bytes: [UInt8]) throws -> ModelFile {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.file("Shop.xcdatamodel"), withIntermediateDirectories: false)
        try Data(bytes).write(to: URL(filePath: directory.file("Shop.xcdatamodel/contents")))
        return try ModelFile(contentsOf: directory.file("Shop.xcdatamodel"))
    }

    /// Writes a bundle of versions.
    static func bundle(_ versions: [String: String], current: String?, in directory: TemporaryDirectory) throws -> String {
        let path = directory.file("Shop.xcdatamodeld")
        for (name, text) in versions {
            try FileManager.default.createDirectory(atPath: "\(path)/\(name).xcdatamodel", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name).xcdatamodel/contents"))
        }
        if let current { try Data(current.utf8).write(to: URL(filePath: "\(path)/.xccurrentversion")) }
        return path
    }
}
