#if Server
    extension UInt8 {
        var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

        var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

        var isHexDigit: Bool {
            isASCIIDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
        }
    }
#endif
