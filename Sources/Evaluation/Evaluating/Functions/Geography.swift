import StrataPlatform

/// Distances on the Earth.
enum Geography {
    /// The mean radius in metres.
    private static let radius = 6_371_008.8

    /// Returns the metres along a sphere between two lists of a latitude and a longitude in degrees; nil for anything
    /// else.
    static func distance(_ a: Value, _ b: Value) -> Value {
        guard let (latitudeA, longitudeA) = coordinates(a), let (latitudeB, longitudeB) = coordinates(b) else { return .null }
        let (halfLatitude, halfLongitude) = (sin((latitudeB - latitudeA) / 2), sin((longitudeB - longitudeA) / 2))
        let haversine = halfLatitude * halfLatitude + cos(latitudeA) * cos(latitudeB) * halfLongitude * halfLongitude
        return .double(2 * radius * asin(min(1, haversine.squareRoot())))
    }

    /// Returns a latitude and a longitude in radians.
    private static func coordinates(_ value: Value) -> (Double, Double)? {
        guard case .list(let parts) = value, parts.count == 2, let latitude = parts[0].number?.asDouble,
            let longitude = parts[1].number?.asDouble, latitude.isFinite, longitude.isFinite
        else { return nil }
        return (latitude * .pi / 180, longitude * .pi / 180)
    }
}
