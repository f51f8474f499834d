swift build
.build/debug/Notes anna.db add Buy milk
.build/debug/Notes anna.db list
