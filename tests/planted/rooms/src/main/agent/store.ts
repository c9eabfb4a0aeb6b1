export interface Store {
  fetch(id: string): string; // a member that is only called fetch is not the network
}
