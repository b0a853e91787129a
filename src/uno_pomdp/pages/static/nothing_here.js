// Where nothing is: what this browser remembers of a game or a table that was here is forgotten, so no list leads here.

import { forget } from "./saved_games.js";
import { forgetTable } from "./tables.js";

const token = location.pathname.split("/").at(-1) ?? "";
forget(token);
forgetTable(token);
