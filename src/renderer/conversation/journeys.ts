import type { Place } from "../../shared/cloud.ts";
import type { RequestRecord } from "../../shared/turn.ts";

/** What a turn had at one place, over all its requests. */
export interface Journey {
  readonly host: string;
  readonly place: Place;
  /** Of the request that had most: each has what the one before had. */
  readonly messages: number;
  readonly documents: number;
  /** Bytes of the bodies of all of them. */
  readonly bodyOut: number;
}

const distance = { cloud: 2, "local-network": 1, "this-computer": 0 } as const satisfies Record<Place, number>;

/** Where the requests of a turn went, the farthest first; empty: nowhere. */
export function journeysOf(requests: readonly RequestRecord[]): Journey[] {
  const journeys = new Map<string, Journey>();
  for (const { trip, messages } of requests) {
    if (!trip) continue;
    const { host, place, cargo } = trip;
    const before = journeys.get(host);
    journeys.set(host, {
      host,
      place,
      messages: Math.max(before?.messages ?? 0, cargo?.messages ?? messages),
      documents: Math.max(before?.documents ?? 0, cargo?.documents ?? 0),
      bodyOut: (before?.bodyOut ?? 0) + trip.bodyOut,
    });
  }
  return [...journeys.values()].sort((one, other) => distance[other.place] - distance[one.place]);
}
