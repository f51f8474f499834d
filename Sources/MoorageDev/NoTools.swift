#if !(Server || Tools)
    import Foundation

    /// The package was built without the traits that bring the command line's parser.
    @main
    enum NoTools {
        static func main() {
            let text = "moorage-dev: the package traits `Server` and `Tools` are off.\n"
            FileHandle.standardError.write(Data(text.utf8))
            exit(1)
        }
    }
#endif
