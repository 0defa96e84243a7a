const ISO_DURATION = /^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$/;

/** Whole seconds of an ISO 8601 duration of weeks, or of days, hours, minutes and seconds. Null where it is none. */
export function isoDurationSeconds(text: string): number | null {
  const parts = text === 'P' ? null : ISO_DURATION.exec(text);
  if (parts === null) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
}
