// Where the token is between loads: the tab's own storage, never the address bar.
const key = "kinloop.token";

/** Takes a token out of "#token=..." and out of the URL. */
export function takeTokenFromUrl(): void {
  const match = /(?:^#|&)token=([^&]*)/.exec(location.hash);
  if (!match) return;
  setToken(decodeURIComponent(match[1] ?? ""));
  history.replaceState(null, "", location.pathname + location.search);
}

export function token(): string {
  return sessionStorage.getItem(key) ?? "";
}

export function setToken(value: string): void {
  if (value === "") sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, value);
}
