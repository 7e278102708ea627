/**
 * How long the status of an unfinished run is held back in a burst. Slots, Jobs and pods take longer then, because the
 * API server is busy; a run that finishes within this time needs a single status write.
 */
export const holdWhenBusyMs = 5000
