export MOORAGE_SECRET=tutorial-secret-of-notes
moorage serve sqlite:central.db --listen 127.0.0.1:8080 &
