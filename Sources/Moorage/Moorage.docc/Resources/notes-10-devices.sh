swift build
.build/debug/Notes anna.db watch &
.build/debug/Notes ben.db add Walk the dog
.build/debug/Notes ben.db sync
sleep 2
.build/debug/Notes anna.db list
.build/debug/Notes ben.db list
moorage verify ben.db --hub http://127.0.0.1:8080
kill %1 %2
