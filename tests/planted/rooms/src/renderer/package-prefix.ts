import "react-dominoes";
