import Foundation
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

/// Reads archives by Python's property lists, which know nothing of Strata's.
@Suite(.enabled(if: Python.isAvailable, "there is no python3")) struct ArchiveStructureTests {
    /// Prints the archives of two stores as lines, those that are in one alone.
    ///
    /// Entities and properties are known by their names, and sets are in order. What was mutable in a program is not told apart.
    private static let script = #"""
        import json, plistlib, sqlite3, sys, zlib

        def cache(path):
            database = sqlite3.connect("file:" + path.replace(" ", "%20") + "?mode=ro&immutable=1", uri=True)
            return database.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()[0]

        def lines(compressed):
            archive = plistlib.loads(zlib.decompress(compressed, -15))
            assert (archive["$archiver"], archive["$version"]) == ("NSKeyedArchiver", 100000)
            objects = archive["$objects"]
            def get(value): return objects[value.data] if isinstance(value, plistlib.UID) else value
            def classes(o): return objects[o["$class"].data]["$classes"]
            def is_object(o): return isinstance(o, dict) and "$class" in o
            def text(value):
                o = get(value)
                return o["NS.string"] if is_object(o) and classes(o)[0] == "NSMutableString" else o
            def property_of(value):
                o = get(value)
                return property_of(o["NSUnderlyingProperty"]) if classes(o)[0] == "_NSPropertyDescriptionProxy" else o
            def fields(o): return {key: show(key, value) for key, value in sorted(o.items()) if key != "$class"}
            def show(key, value):
                o = text(value)
                if isinstance(value, plistlib.UID) and value.data == 0: return None
                if isinstance(o, bytes): return o.hex()
                if not is_object(o): return o
                if key == "NSInverseRelationship":
                    inverse = property_of(value)
                    return text(get(inverse["NSEntity"])["NSEntityName"]) + "." + text(inverse["NSPropertyName"])
                if key == "NSFetchIndexDescription": return text(o["NSIndexName"])
                kind = classes(o)[0].replace("Mutable", "")
                if kind == "NSEntityDescription": return text(o["NSEntityName"])
                if kind == "NSManagedObjectModel": return kind
                if kind == "NSSet": return sorted(str(show("", member)) for member in o["NS.objects"])
                if kind == "NSArray": return [show("", member) for member in o["NS.objects"]]
                if kind == "NSDictionary": return {text(k): show("", v) for k, v in zip(o["NS.keys"], o["NS.objects"])}
                return [classes(o), fields(o)]
            model = get(archive["$top"]["root"])
            entities = get(model["NSEntities"])
            mapping = get(entities["searchMapping"])
            names = [text(key) for key in get(mapping["keys"])["NS.objects"]]
            assert mapping["length"] == len(names) and names == sorted(names)
            found = [["model", classes(model), classes(entities), classes(mapping), text(entities["emptyToken"]), mapping["version"]]]
            found += [["model", key, show(key, value)] for key, value in model.items() if key not in ("$class", "NSEntities")]
            for name, value in zip(names, get(entities["values"])["NS.objects"]):
                entity = get(value)
                found.append([name, classes(entity)])
                for key, value in entity.items():
                    if key == "NSProperties":
                        properties = get(value)
                        for own, member in zip(properties["NS.keys"], properties["NS.objects"]):
                            described = property_of(member)
                            assert text(described["NSPropertyName"]) == text(own)
                            for field in [["class", classes(described)]] + list(map(list, fields(described).items())):
                                found.append([name, text(own)] + field)
                    elif key != "$class": found.append([name, key, show(key, value)])
            return {json.dumps(line, sort_keys=True, default=str) for line in found}

        first, second = lines(cache(sys.argv[1])), lines(cache(sys.argv[2]))
        for sign, rest in (("-", first - second), ("+", second - first)):
            for line in sorted(rest): print(sign, line)
        """#

    /// What a model without classes, of the newest versions of Core Data, has otherwise.
    private static let others = ["\"NSClassNameForEntity\"", "\"NSVersionIdentifiers\", [\"\"]", "\"NSVersionIdentifiers\", []"]

    @Test(
        "The compiled model in a new store has the structure of Core Data's", .enabled(if: Fixtures.areAvailable),
        arguments: FixtureCacheTests.stores)
    func structure(_ store: String, _ bundle: String, _ version: String) throws {
        let directory = try TemporaryDirectory()
        let (original, path) = (Fixtures.path("sqlite/\(store)"), directory.file("store.sqlite"))
        let model = try #require(try SQLiteDriver().foreignModel(at: .file(original)))
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.remove(try coordinator.addStore(StoreDescription(.sqlite, path: path)))
        let output = try Python.run(["-c", Self.script, original, path])
        // Earlier versions had indexes in the entities alone.
        let others = Self.others + (store.hasPrefix("objcio") ? ["\"NSFetchIndexDescriptions\"", "\"NSCompoundIndexes\""] : [])
        let differences = output.split(separator: "\n").map(String.init).filter { line in !others.contains { line.contains($0) } }
        #expect(differences == [])
    }
}

private enum Python {
    static let isAvailable = (try? run(["-c", "import plistlib, sqlite3, zlib"])) == ""

    /// Runs a script; returns what it prints.
    static func run(_ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
