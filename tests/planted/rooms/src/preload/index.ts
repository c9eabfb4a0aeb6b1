import "electron";
