/// The version of this library, on both sides.
package let libraryVersion = "0.1.0"
