import Foundation

/// Reads the preparation times that people wrote into version 1 of the model, such as "1.5 hours" or "20min".
enum PreparationTime {
    static func minutes(_ text: String) -> Int? {
        let scanner = Scanner(string: text.lowercased())
        var minutes = 0.0
        var isEmpty = true
        while !scanner.isAtEnd {
            guard let number = scanner.scanDouble() else { return nil }
            switch scanner.scanCharacters(from: .letters) {
            case "h", "hour", "hours": minutes += number * 60
            case "m", "min", "mins", "minute", "minutes": minutes += number
            default: return nil
            }
            isEmpty = false
        }
        return isEmpty ? nil : Int(minutes.rounded())
    }

    static func text(minutes: Int) -> String {
        switch (minutes / 60, minutes % 60) {
        case (0, let minutes): "\(minutes) min"
        case (let hours, 0): "\(hours) h"
        case (let hours, let minutes): "\(hours) h \(minutes) min"
        }
    }
}
