export class Box {
  constructor(readonly content: string) {}
}
