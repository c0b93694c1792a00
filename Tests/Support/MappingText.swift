/// Mapping models as Xcode writes them, but made here.
package enum MappingText {
    /// A person's label is what the policy `Shop.LabelPolicy` answers to `labelOf:` with the former name; adults alone are mapped.
    package static let named = text(
        expression: """
            YnBsaXN0MDDUAQIDBAUGREdZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tl
            eWVkQXJjaGl2ZXKvEBIHCA8TFhgbHCMkJicsMTI7PD9VJG51bGzSCQoLDFgkY2xhc3Nlc1okY2xh
            c3NuYW1lowwNDl8QFE5TVmFyaWFibGVFeHByZXNzaW9uXE5TRXhwcmVzc2lvblhOU09iamVjdNIJ
            ChARpBESDQ5fEBNOU0tleVBhdGhFeHByZXNzaW9uXxAUTlNGdW5jdGlvbkV4cHJlc3Npb27SCQoU
            FaMVDQ5fEBxOU0tleVBhdGhTcGVjaWZpZXJFeHByZXNzaW9u0gkKFxKjEg0O0gkKGRqiGg5XTlNB
            cnJheVZzb3VyY2XTHR4fICEiViRjbGFzc18QEE5TRXhwcmVzc2lvblR5cGVaTlNWYXJpYWJsZYAB
            EAKABlxlbnRpdHlQb2xpY3nTHR4fICElgAhUbmFtZdMdHigpKitZTlNLZXlQYXRogAMQCoAK0h0t
            Li9aTlMub2JqZWN0c4AFoTCAC18QEHZhbHVlRm9yS2V5UGF0aDrVHTMeNDU2Nzg5OltOU0FyZ3Vt
            ZW50c1lOU09wZXJhbmReTlNTZWxlY3Rvck5hbWWAAoAMEASAB4ANWGxhYmVsT2Y60h0tLj2hPoAO
            1R0zHjQ1QEE4QkOABIAQgAmAD9FFRlRyb290gBESAAGGoAAIABEAGwAkACkAMgBEAFkAXwBkAG0A
            eAB8AJMAoACpAK4AswDJAOAA5QDpAQgBDQERARYBGQEhASgBLwE2AUkBVAFWAVgBWgFnAW4BcAF1
            AXwBhgGIAYoBjAGRAZwBngGgAaIBtQHAAcwB1gHlAecB6QHrAe0B7wH4Af0B/wIBAgwCDgIQAhIC
            FAIXAhwCHgAAAAAAAAIBAAAAAAAAAEgAAAAAAAAAAAAAAAAAAAIj
            """)

    /// The same with other bytes for the expression, or another attribute of the destination.
    package static func text(expression: String, attribute: String = "label", entity: String = "Person") -> String {
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>6D1F5E2A-64A2-4D7B-9A3C-2F1E8B7C9D10</UUID>
                <nextObjectID>104</nextObjectID>
                <metadata></metadata>
            </databaseInfo>
            <object type="XDDEVATTRIBUTEMAPPING" id="z102">
                <attribute name="valueexpressiondata" type="binary">\(expression)
        </attribute>
                <attribute name="name" type="string">\(attribute)</attribute>
                <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z103">
                <attribute name="migrationpolicyclassname" type="string">Shop.LabelPolicy</attribute>
                <attribute name="sourcename" type="string">\(entity)</attribute>
                <attribute name="sourcefilterpredicatestring" type="string">name \\u3e00 "A"</attribute>
                <attribute name="mappingtypename" type="string">Undefined</attribute>
                <attribute name="mappingnumber" type="int16">1</attribute>
                <attribute name="destinationname" type="string">Person</attribute>
                <attribute name="autogenerateexpression" type="bool">1</attribute>
                <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL" idrefs="z104"></relationship>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z102"></relationship>
                <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING"></relationship>
            </object>
            <object type="XDDEVMAPPINGMODEL" id="z104">
                <attribute name="sourcemodelpath" type="string">Shop.xcdatamodeld/Shop 3.xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">Shop.xcdatamodeld/Shop 4.xcdatamodel</attribute>
                <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
            </object>
        </database>
        """
    }
}
