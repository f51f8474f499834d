import MoorageWire

extension String {
    /// As much of the text as a report may have, in whole characters.
    var reported: String {
        if utf8.count <= DeviceReport.maximumTextBytes { return self }
        var beginning = ""
        for character in self {
            let bytes = beginning.utf8.count + character.utf8.count
            guard bytes <= DeviceReport.maximumTextBytes else { break }
            beginning.append(character)
        }
        return beginning
    }
}
