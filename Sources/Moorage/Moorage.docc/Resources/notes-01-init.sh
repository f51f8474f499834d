mkdir Notes
cd Notes
swift package init --type executable --name Notes
