export function ChatList() {
  return null;
}
