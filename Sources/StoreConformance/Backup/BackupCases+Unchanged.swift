import FoundationEssentials
import Strata
import StrataPlatform
import StrataStore

extension BackupCases {
    /// Backups after others to the same directory, which take over copies of stores to which nothing was written.
    @ConformanceCaseList static var unchanged: [ConformanceCase] {
        ConformanceCase("The copy of a store to which nothing was written is taken over", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            for number in 1...3 { try add(Int64(number), stack.context()) }
            settle()
            let isRecognized = try stack.store() is any SharedStore
            let first = try stack.coordinator.backUp(to: target(environment))
            try expect(!first.stores[0].isUnchanged, "there was no backup before")
            let file = try FileManager.default.attributesOfItem(atPath: first.stores[0].path)[.systemFileNumber] as? UInt64
            for _ in 0..<2 {
                let next = try stack.coordinator.backUp(to: target(environment))
                try expectEqual(next.stores[0].isUnchanged, isRecognized)
                try expectSound(next, [1, 2, 3], stack, environment)
                let same = try FileManager.default.attributesOfItem(atPath: next.stores[0].path)[.systemFileNumber] as? UInt64
                if isRecognized { try expectEqual(same, file) }
            }
            try add(4, stack.context())
            let changed = try stack.coordinator.backUp(to: target(environment))
            try expect(!changed.stores[0].isUnchanged, "a save was missed")
            try expectSound(changed, [1, 2, 3, 4], stack, environment)
        }
        ConformanceCase("A damaged copy of an unchanged store is written again", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            for number in 1...2 { try add(Int64(number), stack.context()) }
            settle()
            var backup = try stack.coordinator.backUp(to: target(environment))
            func values() throws -> [String] {
                let folder = String(
                    backup.stores[0].path.prefix(upTo: backup.stores[0].path.lastIndex(of: "/") ?? backup.stores[0].path.startIndex))
                return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains("_EXTERNAL_DATA/") }
                    .sorted().map { folder + "/" + $0 }
            }
            let hasValues = try !values().isEmpty
            for damage in 0..<(hasValues ? 4 : 2) {
                let path = damage < 2 ? backup.stores[0].path : try values()[0]
                let bytes = try Data(contentsOf: URL(filePath: path))
                if damage == 3 {
                    try FileManager.default.removeItem(atPath: path)
                } else {
                    let damaged = damage == 1 ? bytes.dropLast(7) : bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]
                    try Data(damaged).write(to: URL(filePath: path))
                }
                let error = try expectStoreError(.corrupt) { try backup.check() }
                try expectEqual(
                    error.message,
                    damage < 2
                        ? "the file is not the one that the backup was made with"
                        : "the files of large values are not those that the backup was made with")
                settle()
                backup = try stack.coordinator.backUp(to: target(environment))
                try expect(!backup.stores[0].isUnchanged, "the damage \(damage) was taken over")
                try expectSound(backup, [1, 2], stack, environment)
            }
        }
        ConformanceCase("A save immediately before or after a backup is in the next one", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            let other = try environment.stack(stack.container.model, stores: stack.descriptions)
            var number: Int64 = 0
            for round in 0..<12 {
                let pause = UInt32.random(in: 0..<70_000)
                if round % 3 != 0 { usleep(pause) }
                // Another coordinator's saves, too.
                number += 1
                try add(number, round % 2 == 0 ? stack.context() : other.context())
                if round % 4 == 1 { usleep(pause) }
                let backup = try stack.coordinator.backUp(to: target(environment))
                try expectSound(backup, Array(1...number), stack, environment)
            }
        }
        ConformanceCase("A backup does not depend on the time of the one before", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            let manifest = target(environment) + "/backup.json"
            for (number, time) in ["1e11", "-5", "0", "1e300"].enumerated() {
                try add(Int64(number), stack.context())
                let before = try stack.coordinator.backUp(to: target(environment))
                let text = try String(decoding: Data(contentsOf: URL(filePath: manifest)), as: UTF8.self)
                let lines = text.split(separator: "\n").map { $0.contains("\"time\"") ? "  \"time\" : \(time)" : String($0) }
                try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: manifest))
                try expectEqual(try StoreBackup(at: target(environment)).id, before.id)
                try stack.coordinator.restore(from: target(environment))
                let next = try stack.coordinator.backUp(to: target(environment))
                try expect(next.id != before.id, "the backups have one name")
                try expectEqual(try StoreBackup(at: target(environment)), next)
                try expectSound(next, Array(0...Int64(number)), stack, environment)
            }
        }
    }

    /// Waits until the next change of a file has another time than the last.
    private static func settle() { usleep(80_000) }

    /// Expects that a backup is the last of its directory, is whole, and has some items.
    private static func expectSound(
        _ backup: StoreBackup, _ expected: [Int64], _ stack: ConformanceStack, _ environment: ConformanceEnvironment
    ) throws {
        try expectEqual(try StoreBackup(at: target(environment)), backup)
        try backup.check()
        let names = try FileManager.default.contentsOfDirectory(atPath: target(environment)).filter { !$0.hasPrefix(".") }
        try expectEqual(names.sorted(), ["backup-\(backup.id)", "backup.json"])
        let copy = try copies(backup, of: stack, environment)
        try expectEqual(try numbers(copy).sorted(), expected)
        try expectEqual(try copy.coordinator.verify(copy.store()).map(\.description), [])
        try copy.close()
    }
}
