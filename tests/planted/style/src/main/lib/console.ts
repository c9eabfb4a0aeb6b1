console.log("to nobody");
