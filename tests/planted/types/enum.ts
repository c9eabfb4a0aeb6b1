export enum Colour {
  red,
}
