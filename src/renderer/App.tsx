import { hostName } from "./lib/host.ts";

/** The page, until there is a conversation to show: `npm start` has it in the terminal. */
export function App() {
  return (
    <main>
      <h1>Lares</h1>
      <p>This window opens in {hostName()}. The conversation is in the terminal for now: npm start.</p>
    </main>
  );
}
