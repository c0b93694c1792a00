import StrataModel
import StrataModelCode
import StrataModelFiles
import StrataTestSupport
import Testing

@Suite("Code of models of applications", .enabled(if: Fixtures.areAvailable)) struct FixtureCodeTests {
    @Test("Each class of every version has its code", arguments: Fixtures.modelBundles) func eachClassOfEveryVersion(_ bundle: String)
        throws
    {
        let file = try ModelFile(contentsOf: Fixtures.path(bundle))
        for version in file.versions {
            var options = ModelCode.Options()
            let declarations = try version.declarations()
            // One model names a class within others, which no file can declare.
            options.includesManualEntities = !declarations.classNames.values.contains("Something.We.Cannot.Handle.ImpossibleType")
            let code = try ModelCode(of: file, version: version.name, named: "Shop", options: options)
            for name in declarations.classNames.values where options.includesManualEntities {
                let last = name.split(separator: ".").last.map(String.init) ?? name
                #expect(code.text.contains("public class \(last): "))
            }
            for entity in declarations.entities where options.includesManualEntities && declarations.classNames[entity.name] != nil {
                for attribute in entity.attributes { #expect(code.text.contains("(\"\(attribute.name)\")")) }
                for relationship in entity.relationships { #expect(code.text.contains("(\"\(relationship.name)\")")) }
            }
        }
    }
}
