export function ModelsDialog() {
  return null;
}
