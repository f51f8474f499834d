/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */
-- next
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */
-- next
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */
-- next
/*!40101 SET NAMES utf8mb4 */
-- next
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */
-- next
/*!40103 SET TIME_ZONE='+00:00' */
-- next
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */
-- next
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */
-- next
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */
-- next
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */
-- next
DROP TABLE IF EXISTS `member`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `member` (
  `id` bigint(20) NOT NULL,
  `project_id` bigint(20) NOT NULL,
  `user_id` varchar(60) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `project_id` (`project_id`),
  CONSTRAINT `member_ibfk_1` FOREIGN KEY (`project_id`) REFERENCES `project` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `member` VALUES
(1,1,'ann'),
(3,3,'bob'),
(4,1,'bob')
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper0_insert_1_project" AFTER INSERT ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_upper0_queue_1_project" (id, c0) VALUES (UUID_SHORT(), NEW."project_id");
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_insert_2_member" AFTER INSERT ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_2_member" (id, k0, changed_at)
    VALUES (UUID_SHORT(), NEW."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper1_insert_4_task" AFTER INSERT ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_upper1_queue_4_task" (id, c0) VALUES (UUID_SHORT(), NEW."project_id");
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper0_update_1_project" AFTER UPDATE ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (CAST(OLD."project_id" AS BINARY) <=> CAST(NEW."project_id" AS BINARY) AND CAST(OLD."user_id" AS BINARY) <=> CAST(NEW."user_id" AS BINARY)) THEN
  INSERT INTO "moorage_upper0_queue_1_project" (id, c0) VALUES (UUID_SHORT(), OLD."project_id");
  INSERT INTO "moorage_upper0_queue_1_project" (id, c0) VALUES (UUID_SHORT(), NEW."project_id");
END IF;
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_update_2_member" AFTER UPDATE ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (OLD."id" <=> NEW."id") THEN
  INSERT INTO "moorage_queue_2_member" (id, k0, changed_at)
    VALUES (UUID_SHORT(), OLD."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END IF;
INSERT INTO "moorage_queue_2_member" (id, k0, changed_at)
    VALUES (UUID_SHORT(), NEW."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper1_update_4_task" AFTER UPDATE ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (CAST(OLD."project_id" AS BINARY) <=> CAST(NEW."project_id" AS BINARY) AND CAST(OLD."user_id" AS BINARY) <=> CAST(NEW."user_id" AS BINARY)) THEN
  INSERT INTO "moorage_upper1_queue_4_task" (id, c0) VALUES (UUID_SHORT(), OLD."project_id");
  INSERT INTO "moorage_upper1_queue_4_task" (id, c0) VALUES (UUID_SHORT(), NEW."project_id");
END IF;
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper0_delete_1_project" AFTER DELETE ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_upper0_queue_1_project" (id, c0) VALUES (UUID_SHORT(), OLD."project_id");
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_delete_2_member" AFTER DELETE ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_2_member" (id, k0, changed_at)
    VALUES (UUID_SHORT(), OLD."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper1_delete_4_task" AFTER DELETE ON "member" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_upper1_queue_4_task" (id, c0) VALUES (UUID_SHORT(), OLD."project_id");
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
DROP TABLE IF EXISTS `moorage_audit`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_audit` (
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `at` bigint(20) DEFAULT NULL,
  `subject` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `replica` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `batch` bigint(20) DEFAULT NULL,
  `table_name` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `row_key` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `operation` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `columns` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `outcome` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `moorage_audit_at` (`at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_batch`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_batch` (
  `replica` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `number` bigint(20) NOT NULL,
  `nonce` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `taken_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`replica`,`number`),
  KEY `moorage_batch_taken_at` (`taken_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_batch` VALUES
('a0f045ea-c9dd-41de-bc4c-53a0bff68ade',1,'821dd383-e0e4-46a0-b3d6-f22a689aebc4',1795738558432)
-- next
DROP TABLE IF EXISTS `moorage_clock`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_clock` (
  `number` bigint(20) NOT NULL,
  `nonce` varchar(32) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
  `at` bigint(20) NOT NULL,
  PRIMARY KEY (`number`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_clock` VALUES
(0,'e91bbba2cbf6d2bd',1795738554651),
(1,'01e41b28bc3479fd',1795738554663),
(2,'bc71dba055d1110c',1795738554673),
(3,'e2a2e31d6d1efaf4',1795738554681),
(4,'33e71f53f55390a1',1795738554693),
(5,'7cfc8f8426556387',1795738554702),
(6,'703fb3aefe3f924d',1795738558440),
(7,'fc0cb9019fcd06f2',1795738558637),
(8,'19fe4e4a647e8936',1795738558844)
-- next
DROP TABLE IF EXISTS `moorage_conflict`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_conflict` (
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `replica` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `batch` bigint(20) DEFAULT NULL,
  `table_name` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `row_key` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `kind` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `rule` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `base` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `mine` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `theirs` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `result` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `reason_code` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `reason` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `edited_at` bigint(20) DEFAULT NULL,
  `logged_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `moorage_conflict_logged_at` (`logged_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_conflict` VALUES
('e7d4fd6335b29c3d12edfa5ead11eb9d-0-0','a0f045ea-c9dd-41de-bc4c-53a0bff68ade',1,'task','[\"t1\"]','updateUpdate','newest','{\"title\":\"Dredge\"}','{\"title\":\"Dredge (device)\"}','{\"title\":\"Dredge (office)\"}','{\"title\":\"Dredge (office)\"}',NULL,NULL,1795738557800,1795738558432)
-- next
DROP TABLE IF EXISTS `moorage_decision`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_decision` (
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `decision` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `decided_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_derived_1_project`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_derived_1_project` (
  `k0` bigint(20) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  PRIMARY KEY (`k0`,`scope`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_derived_2_member`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_derived_2_member` (
  `k0` bigint(20) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  PRIMARY KEY (`k0`,`scope`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_derived_4_task`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_derived_4_task` (
  `k0` varbinary(1020) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  PRIMARY KEY (`k0`,`scope`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_given`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_given` (
  `replica` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `scope` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `subject` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `since` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `lost_at` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`replica`,`scope`),
  KEY `moorage_given_subject` (`subject`(255))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_given` VALUES
('a0f045ea-c9dd-41de-bc4c-53a0bff68ade','person/ann','ann','5:7cfc8f8426556387',NULL)
-- next
DROP TABLE IF EXISTS `moorage_key`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_key` (
  `table_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `next_key` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`table_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_key` VALUES
('project',204)
-- next
DROP TABLE IF EXISTS `moorage_mark`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_mark` (
  `position` bigint(20) NOT NULL,
  `mark` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`position`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_mark` VALUES
(1,'5:7cfc8f8426556387',1795738557569)
-- next
DROP TABLE IF EXISTS `moorage_meta`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_meta` (
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_meta` VALUES
('attached_as','1:[{\"levels\":[{\"table\":\"project\"}],\"kind\":\"person\",\"members\":\"member\",\"column\":\"user_id\",\"type\":\"text\",\"columns\":[\"project_id\"],\"referenced\":[\"id\"]}]\n2:[{\"levels\":[{\"table\":\"member\"}],\"kind\":\"person\",\"column\":\"user_id\",\"type\":\"text\"}]\n4:[{\"levels\":[{\"table\":\"task\",\"columns\":[\"project_id\"],\"referenced\":[\"id\"]},{\"table\":\"project\"}],\"kind\":\"person\",\"members\":\"member\",\"column\":\"user_id\",\"type\":\"text\",\"columns\":[\"project_id\"],\"referenced\":[\"id\"]}]'),
('columns 1','{\"id\":{\"size\":4,\"words\":[]},\"name\":{\"size\":65535,\"words\":[\"utf8mb4\"]}}'),
('columns 2','{\"id\":{\"size\":4,\"words\":[]},\"project_id\":{\"size\":4,\"words\":[]},\"user_id\":{\"size\":60,\"words\":[\"utf8mb4\"]}}'),
('columns 3','{\"gone\":{\"size\":4,\"words\":[]},\"id\":{\"size\":60,\"words\":[\"utf8mb4\"]},\"text\":{\"size\":65535,\"words\":[\"utf8mb4\"]}}'),
('columns 4','{\"code\":{\"size\":4,\"words\":[]},\"cost\":{\"words\":[\"double\"]},\"grade\":{\"size\":4,\"words\":[]},\"id\":{\"size\":60,\"words\":[\"utf8mb4\"]},\"project_id\":{\"size\":4,\"words\":[]},\"title\":{\"size\":65535,\"words\":[\"utf8mb4\"]}}'),
('columns 5','{\"id\":{\"size\":60,\"words\":[\"utf8mb4\"]},\"meaning\":{\"size\":65535,\"words\":[\"utf8mb4\"]},\"note\":{\"size\":65535,\"words\":[\"utf8mb4\"]}}'),
('epoch','f20d044e-d1dc-4820-b7fe-b6e1925256d4'),
('format','4'),
('hub','7997c7c0-374a-4b7e-b799-730820c5cef5'),
('identity','1V1qBndTKZU0G2TbFDSgp2CT3LQ=/fixture/1795738554'),
('purge','1795738557569'),
('seal','7402287b-ea1e-4302-ade9-df22ce00a13b61042bef-5369-4d93-875e-123c416d337f')
-- next
DROP TABLE IF EXISTS `moorage_priority`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_priority` (
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `priority` bigint(20) DEFAULT NULL,
  `changed_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `moorage_priority_changed_at` (`changed_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_queue_1_project`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_queue_1_project` (
  `id` bigint(20) unsigned NOT NULL,
  `k0` bigint(20) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_queue_2_member`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_queue_2_member` (
  `id` bigint(20) unsigned NOT NULL,
  `k0` bigint(20) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_queue_3_tag`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_queue_3_tag` (
  `id` bigint(20) unsigned NOT NULL,
  `k0` varbinary(1020) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_queue_4_task`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_queue_4_task` (
  `id` bigint(20) unsigned NOT NULL,
  `k0` varbinary(1020) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_queue_4_task` VALUES
(102185087637913609,'t2',1795738558943)
-- next
DROP TABLE IF EXISTS `moorage_queue_5_word`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_queue_5_word` (
  `id` bigint(20) unsigned NOT NULL,
  `k0` varbinary(1020) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_registration`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_registration` (
  `replica` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `subject` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `standing` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `standing_at` bigint(20) DEFAULT NULL,
  `registered_at` bigint(20) DEFAULT NULL,
  `seen_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`replica`),
  KEY `moorage_registration_subject` (`subject`(255))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_registration` VALUES
('a0f045ea-c9dd-41de-bc4c-53a0bff68ade','ann','active',1795738557569,1795738557569,1795738557569)
-- next
DROP TABLE IF EXISTS `moorage_replica`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_replica` (
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `last_batch` bigint(20) DEFAULT NULL,
  `last_nonce` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `outcomes` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `prepared_at` bigint(20) DEFAULT NULL,
  `registered_at` bigint(20) DEFAULT NULL,
  `seen_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_replica` VALUES
('a0f045ea-c9dd-41de-bc4c-53a0bff68ade',1,'821dd383-e0e4-46a0-b3d6-f22a689aebc4','{\"number\":1,\"status\":\"applied\",\"list\":[{\"is\":\"overruled\",\"lost\":{\"rule\":\"newest\",\"theirs\":[[2,\"Dredge (office)\"]],\"result\":[[2,\"Dredge (office)\"]]}},\"applied\",\"applied\"]}',1795738558429,1795738558432,1795738558432)
-- next
DROP TABLE IF EXISTS `moorage_scope`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_scope` (
  `number` bigint(20) NOT NULL,
  `paths` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`number`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_scope` VALUES
(1,'[{\"levels\":[{\"table\":\"project\"}],\"kind\":\"person\",\"members\":\"member\",\"column\":\"user_id\",\"type\":\"text\",\"columns\":[\"project_id\"],\"referenced\":[\"id\"]}]'),
(2,'[{\"levels\":[{\"table\":\"member\"}],\"kind\":\"person\",\"column\":\"user_id\",\"type\":\"text\"}]'),
(4,'[{\"levels\":[{\"table\":\"task\",\"columns\":[\"project_id\"],\"referenced\":[\"id\"]},{\"table\":\"project\"}],\"kind\":\"person\",\"members\":\"member\",\"column\":\"user_id\",\"type\":\"text\",\"columns\":[\"project_id\"],\"referenced\":[\"id\"]}]')
-- next
DROP TABLE IF EXISTS `moorage_table`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_table` (
  `number` bigint(20) NOT NULL,
  `name` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `description` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`number`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_table` VALUES
(1,'project','[{\"name\":\"project\",\"columns\":[{\"name\":\"id\",\"type\":\"integer\",\"notNull\":true},{\"name\":\"name\",\"type\":\"text\",\"notNull\":true}],\"key\":[0],\"unique\":[],\"foreign\":[]}]'),
(2,'member','[{\"name\":\"member\",\"columns\":[{\"name\":\"id\",\"type\":\"integer\",\"notNull\":true},{\"name\":\"project_id\",\"type\":\"integer\",\"notNull\":true},{\"name\":\"user_id\",\"type\":\"text\",\"notNull\":true}],\"key\":[0],\"unique\":[],\"foreign\":[{\"columns\":[1],\"table\":\"project\",\"references\":[\"id\"],\"onDelete\":\"cascade\",\"onUpdate\":\"restrict\",\"deferrable\":false}]}]'),
(3,'tag','[{\"name\":\"tag\",\"columns\":[{\"name\":\"id\",\"type\":\"text\",\"notNull\":true},{\"name\":\"text\",\"type\":\"text\"},{\"name\":\"gone\",\"type\":\"integer\"}],\"key\":[0],\"unique\":[],\"foreign\":[]}]'),
(4,'task','[{\"name\":\"task\",\"columns\":[{\"name\":\"id\",\"type\":\"text\",\"notNull\":true},{\"name\":\"project_id\",\"type\":\"integer\",\"notNull\":true},{\"name\":\"title\",\"type\":\"text\"},{\"name\":\"code\",\"type\":\"integer\"},{\"name\":\"cost\",\"type\":\"real\"},{\"name\":\"grade\",\"type\":\"integer\",\"default\":[3]}],\"key\":[0],\"unique\":[[3]],\"foreign\":[{\"columns\":[1],\"table\":\"project\",\"references\":[\"id\"],\"onDelete\":\"cascade\",\"onUpdate\":\"restrict\",\"deferrable\":false}]}]'),
(5,'word','[{\"name\":\"word\",\"columns\":[{\"name\":\"id\",\"type\":\"text\",\"notNull\":true},{\"name\":\"meaning\",\"type\":\"text\"},{\"name\":\"note\",\"type\":\"text\"}],\"key\":[0],\"unique\":[],\"foreign\":[]}]')
-- next
DROP TABLE IF EXISTS `moorage_taken`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_taken` (
  `place` int(11) NOT NULL,
  `id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`place`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_touched_1_project`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_touched_1_project` (
  `k0` bigint(20) NOT NULL,
  `changed_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`k0`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_touched_2_member`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_touched_2_member` (
  `k0` bigint(20) NOT NULL,
  `changed_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`k0`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_touched_4_task`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_touched_4_task` (
  `k0` varbinary(1020) NOT NULL,
  `changed_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`k0`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_track_1_project`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_track_1_project` (
  `k0` bigint(20) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  `live` tinyint(4) NOT NULL,
  `version` bigint(20) NOT NULL,
  `entered` bigint(20) DEFAULT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`k0`,`scope`),
  KEY `by_version` (`scope`,`version`,`k0`),
  KEY `gone` (`live`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_track_1_project` VALUES
(1,'person/ann',1,1,1,1795738554664),
(1,'person/bob',1,1,1,1795738554664),
(2,'person/ann',0,8,1,1795738554664),
(3,'person/bob',1,1,1,1795738554664)
-- next
DROP TABLE IF EXISTS `moorage_track_2_member`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_track_2_member` (
  `k0` bigint(20) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  `live` tinyint(4) NOT NULL,
  `version` bigint(20) NOT NULL,
  `entered` bigint(20) DEFAULT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`k0`,`scope`),
  KEY `by_version` (`scope`,`version`,`k0`),
  KEY `gone` (`live`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_track_2_member` VALUES
(1,'person/ann',1,2,2,1795738554674),
(2,'person/ann',0,8,2,1795738558677),
(3,'person/bob',1,2,2,1795738554674),
(4,'person/bob',1,2,2,1795738554674)
-- next
DROP TABLE IF EXISTS `moorage_track_3_tag`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_track_3_tag` (
  `k0` varbinary(1020) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  `live` tinyint(4) NOT NULL,
  `version` bigint(20) NOT NULL,
  `entered` bigint(20) DEFAULT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`k0`,`scope`),
  KEY `by_version` (`scope`,`version`,`k0`),
  KEY `gone` (`live`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_track_3_tag` VALUES
('g1','*',1,3,3,1795738554681),
('g2','*',1,3,3,1795738554681),
('g3','*',1,6,3,1795738557805)
-- next
DROP TABLE IF EXISTS `moorage_track_4_task`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_track_4_task` (
  `k0` varbinary(1020) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  `live` tinyint(4) NOT NULL,
  `version` bigint(20) NOT NULL,
  `entered` bigint(20) DEFAULT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`k0`,`scope`),
  KEY `by_version` (`scope`,`version`,`k0`),
  KEY `gone` (`live`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_track_4_task` VALUES
('t1','person/ann',1,6,4,1795738558068),
('t1','person/bob',1,6,4,1795738558068),
('t2','person/ann',1,4,4,1795738554694),
('t2','person/bob',1,4,4,1795738554694),
('t3','person/ann',0,8,4,1795738554694),
('t4','person/bob',1,4,4,1795738554694)
-- next
DROP TABLE IF EXISTS `moorage_track_5_word`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_track_5_word` (
  `k0` varbinary(1020) NOT NULL,
  `scope` varbinary(255) NOT NULL,
  `live` tinyint(4) NOT NULL,
  `version` bigint(20) NOT NULL,
  `entered` bigint(20) DEFAULT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`k0`,`scope`),
  KEY `by_version` (`scope`,`version`,`k0`),
  KEY `gone` (`live`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_track_5_word` VALUES
('w1','*',0,7,5,1795738558525),
('w2','*',1,5,5,1795738554702),
('w3','*',1,6,6,1795738557810)
-- next
DROP TABLE IF EXISTS `moorage_turn`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_turn` (
  `id` tinyint(4) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `moorage_turn` VALUES
(1)
-- next
DROP TABLE IF EXISTS `moorage_upper0_queue_1_project`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_upper0_queue_1_project` (
  `id` bigint(20) unsigned NOT NULL,
  `c0` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_upper0_queue_4_task`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_upper0_queue_4_task` (
  `id` bigint(20) unsigned NOT NULL,
  `c0` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `moorage_upper1_queue_4_task`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `moorage_upper1_queue_4_task` (
  `id` bigint(20) unsigned NOT NULL,
  `c0` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
DROP TABLE IF EXISTS `project`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `project` (
  `id` bigint(20) NOT NULL,
  `name` text NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `project` VALUES
(1,'Harbour'),
(2,'Lighthouse'),
(3,'Pier')
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_insert_1_project" AFTER INSERT ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_1_project" (id, k0, changed_at)
    VALUES (UUID_SHORT(), NEW."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper0_insert_4_task" AFTER INSERT ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_upper0_queue_4_task" (id, c0) VALUES (UUID_SHORT(), NEW."id");
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_update_1_project" AFTER UPDATE ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (OLD."id" <=> NEW."id") THEN
  INSERT INTO "moorage_queue_1_project" (id, k0, changed_at)
    VALUES (UUID_SHORT(), OLD."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END IF;
INSERT INTO "moorage_queue_1_project" (id, k0, changed_at)
    VALUES (UUID_SHORT(), NEW."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper0_update_4_task" AFTER UPDATE ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (CAST(OLD."id" AS BINARY) <=> CAST(NEW."id" AS BINARY)) THEN
  INSERT INTO "moorage_upper0_queue_4_task" (id, c0) VALUES (UUID_SHORT(), OLD."id");
  INSERT INTO "moorage_upper0_queue_4_task" (id, c0) VALUES (UUID_SHORT(), NEW."id");
END IF;
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_cascade0_before_delete_1_project" BEFORE DELETE ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1146, 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF @@SESSION.foreign_key_checks THEN
BEGIN
  DECLARE EXIT HANDLER FOR 1442
    INSERT INTO "moorage_upper0_queue_1_project" (id, c0) SELECT UUID_SHORT(), c1."project_id" FROM "member" AS c1
WHERE c1."project_id" = OLD."id" LOCK IN SHARE MODE;
  INSERT INTO "moorage_upper0_queue_1_project" (id, c0) SELECT UUID_SHORT(), c1."project_id" FROM "member" AS c1
WHERE c1."project_id" = OLD."id" FOR UPDATE;
END;
END IF;
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_cascade0_before_delete_2_member" BEFORE DELETE ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1146, 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF @@SESSION.foreign_key_checks THEN
BEGIN
  DECLARE EXIT HANDLER FOR 1442
    INSERT INTO "moorage_queue_2_member" (id, k0, changed_at) SELECT UUID_SHORT(), c1."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000) FROM "member" AS c1
WHERE c1."project_id" = OLD."id" LOCK IN SHARE MODE;
  INSERT INTO "moorage_queue_2_member" (id, k0, changed_at) SELECT UUID_SHORT(), c1."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000) FROM "member" AS c1
WHERE c1."project_id" = OLD."id" FOR UPDATE;
END;
END IF;
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_cascade0_before_delete_4_task" BEFORE DELETE ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1146, 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF @@SESSION.foreign_key_checks THEN
BEGIN
  DECLARE EXIT HANDLER FOR 1442
    INSERT INTO "moorage_queue_4_task" (id, k0, changed_at) SELECT UUID_SHORT(), CAST(c1."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000) FROM "task" AS c1
WHERE c1."project_id" = OLD."id" LOCK IN SHARE MODE;
  INSERT INTO "moorage_queue_4_task" (id, k0, changed_at) SELECT UUID_SHORT(), CAST(c1."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000) FROM "task" AS c1
WHERE c1."project_id" = OLD."id" FOR UPDATE;
END;
BEGIN
  DECLARE EXIT HANDLER FOR 1442
    INSERT INTO "moorage_upper1_queue_4_task" (id, c0) SELECT UUID_SHORT(), c1."project_id" FROM "member" AS c1
WHERE c1."project_id" = OLD."id" LOCK IN SHARE MODE;
  INSERT INTO "moorage_upper1_queue_4_task" (id, c0) SELECT UUID_SHORT(), c1."project_id" FROM "member" AS c1
WHERE c1."project_id" = OLD."id" FOR UPDATE;
END;
END IF;
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_delete_1_project" AFTER DELETE ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_1_project" (id, k0, changed_at)
    VALUES (UUID_SHORT(), OLD."id", (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_upper0_delete_4_task" AFTER DELETE ON "project" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_upper0_queue_4_task" (id, c0) VALUES (UUID_SHORT(), OLD."id");
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
DROP TABLE IF EXISTS `tag`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `tag` (
  `id` varchar(60) NOT NULL,
  `text` text DEFAULT NULL,
  `gone` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `tag` VALUES
('g1','urgent',NULL),
('g2','later',NULL),
('g3','done',1)
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_insert_3_tag" AFTER INSERT ON "tag" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_3_tag" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(NEW."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_update_3_tag" AFTER UPDATE ON "tag" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (CAST(OLD."id" AS BINARY) <=> CAST(NEW."id" AS BINARY)) THEN
  INSERT INTO "moorage_queue_3_tag" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(OLD."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END IF;
INSERT INTO "moorage_queue_3_tag" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(NEW."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_delete_3_tag" AFTER DELETE ON "tag" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_3_tag" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(OLD."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
DROP TABLE IF EXISTS `task`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `task` (
  `id` varchar(60) NOT NULL,
  `project_id` bigint(20) NOT NULL,
  `title` text DEFAULT NULL,
  `code` bigint(20) DEFAULT NULL,
  `cost` double DEFAULT NULL,
  `grade` bigint(20) DEFAULT 3,
  PRIMARY KEY (`id`),
  UNIQUE KEY `code` (`code`),
  KEY `project_id` (`project_id`),
  CONSTRAINT `task_ibfk_1` FOREIGN KEY (`project_id`) REFERENCES `project` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `task` VALUES
('t1',1,'Dredge (office)',1,10.5,3),
('t3',2,'Lamp',3,5,2),
('t4',3,'Planks',4,1,1)
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_insert_4_task" AFTER INSERT ON "task" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_4_task" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(NEW."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_update_4_task" AFTER UPDATE ON "task" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (CAST(OLD."id" AS BINARY) <=> CAST(NEW."id" AS BINARY)) THEN
  INSERT INTO "moorage_queue_4_task" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(OLD."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END IF;
INSERT INTO "moorage_queue_4_task" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(NEW."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_delete_4_task" AFTER DELETE ON "task" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_4_task" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(OLD."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
DROP TABLE IF EXISTS `word`
-- next
/*!40101 SET @saved_cs_client     = @@character_set_client */
-- next
/*!40101 SET character_set_client = utf8mb4 */
-- next
CREATE TABLE `word` (
  `id` varchar(60) NOT NULL,
  `meaning` text DEFAULT NULL,
  `note` text DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci
-- next
/*!40101 SET character_set_client = @saved_cs_client */
-- next
INSERT INTO `word` VALUES
('w2','two','b'),
('w3','three',NULL)
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_insert_5_word" AFTER INSERT ON "word" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_5_word" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(NEW."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_update_5_word" AFTER UPDATE ON "word" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
IF NOT (CAST(OLD."id" AS BINARY) <=> CAST(NEW."id" AS BINARY)) THEN
  INSERT INTO "moorage_queue_5_word" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(OLD."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END IF;
INSERT INTO "moorage_queue_5_word" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(NEW."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!50003 SET @saved_cs_client      = @@character_set_client */
-- next
/*!50003 SET @saved_cs_results     = @@character_set_results */
-- next
/*!50003 SET @saved_col_connection = @@collation_connection */
-- next
/*!50003 SET character_set_client  = utf8mb4 */
-- next
/*!50003 SET character_set_results = utf8mb4 */
-- next
/*!50003 SET collation_connection  = utf8mb4_nopad_bin */
-- next
/*!50003 SET @saved_sql_mode       = @@sql_mode */
-- next
/*!50003 SET sql_mode              = 'PIPES_AS_CONCAT,ANSI_QUOTES,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */
-- next
/*!50003 CREATE*/ /*!50017 DEFINER="moorage"@"127.0.0.1"*/ /*!50003 TRIGGER "moorage_delete_5_word" AFTER DELETE ON "word" FOR EACH ROW
BEGIN
DECLARE CONTINUE HANDLER FOR 1048, 1054, 1264, 1265, 1292, 1366, 1406 BEGIN END;
INSERT INTO "moorage_queue_5_word" (id, k0, changed_at)
    VALUES (UUID_SHORT(), CAST(OLD."id" AS BINARY), (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000));
END 
*/
-- next
/*!50003 SET sql_mode              = @saved_sql_mode */
-- next
/*!50003 SET character_set_client  = @saved_cs_client */
-- next
/*!50003 SET character_set_results = @saved_cs_results */
-- next
/*!50003 SET collation_connection  = @saved_col_connection */
-- next
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */
-- next
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */
-- next
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */
-- next
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */
-- next
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */
-- next
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */
-- next
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */
-- next
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */
