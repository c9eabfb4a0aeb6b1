import { createStore, type StoreApi } from "zustand/vanilla";

/** Which of the one overlay at a time is open. */
export type Overlay = "palette" | "settings" | "shortcuts" | "models" | "sent" | "health" | "cloud" | null;

/** What the inspector shows. */
export type InspectorTab = "trace" | "network";

export interface LayoutState {
  /** The chats, where the window is too narrow for them to stand beside the conversation. */
  readonly isSideOpen: boolean;
  /** The chats are folded away where there is room for them. */
  readonly isSideFolded: boolean;
  readonly isInspectorOpen: boolean;
  readonly inspectorTab: InspectorTab;
  /** The turn whose trace the inspector shows; null: the newest one. */
  readonly inspected: string | null;
  readonly overlay: Overlay;
  /** The turn whose requests the overlay "sent" shows. */
  readonly sentTurn: string | null;
  /** What is looked for in the chats; empty: nothing is. */
  readonly query: string;
  /** The chat whose title is being written in the list. */
  readonly renaming: string | null;
}

export interface Layout {
  readonly store: StoreApi<LayoutState>;
  show(overlay: Overlay): void;
  toggleSide(open?: boolean): void;
  foldSide(folded: boolean): void;
  toggleInspector(open?: boolean): void;
  /** Opens the inspector, or turns it, at one of its tabs. */
  showTab(tab: InspectorTab): void;
  /** Shows what was sent to the model in a turn. */
  showSent(turnId: string): void;
  /** Opens the inspector at a turn. */
  inspect(turnId: string): void;
  search(query: string): void;
  rename(chatId: string | null): void;
}

/** What is folded out in this window. It is forgotten with the window. */
export function createLayout(): Layout {
  const store = createStore<LayoutState>(() => ({
    isSideOpen: false,
    isSideFolded: false,
    isInspectorOpen: false,
    inspectorTab: "trace",
    inspected: null,
    overlay: null,
    sentTurn: null,
    query: "",
    renaming: null,
  }));
  return {
    store,
    show: (overlay) => store.setState({ overlay }),
    showSent: (sentTurn) => store.setState({ overlay: "sent", sentTurn }),
    toggleSide: (open) => store.setState(({ isSideOpen }) => ({ isSideOpen: open ?? !isSideOpen })),
    foldSide: (isSideFolded) => store.setState({ isSideFolded }),
    toggleInspector: (open) =>
      store.setState(({ isInspectorOpen }) => ({ isInspectorOpen: open ?? !isInspectorOpen, inspected: null })),
    showTab: (inspectorTab) => store.setState({ isInspectorOpen: true, inspectorTab }),
    search: (query) => store.setState({ query }),
    rename: (renaming) => store.setState({ renaming }),
    inspect: (inspected) => store.setState({ isInspectorOpen: true, inspectorTab: "trace", inspected }),
  };
}
