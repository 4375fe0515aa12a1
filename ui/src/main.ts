// The beginning: the colours, then the page.
import "./app";
import { applyTheme } from "./theme";

applyTheme();
