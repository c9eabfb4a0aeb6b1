import type { Store } from "../main/agent/store.ts";

export const Show = ({ store }: { store: Store }) => <p>{store.fetch("a")}</p>;
