/** Days as offices and people write them. */

/** `2021.03.15`, `2021/3/15`, `2021년 3월 15일`, `2021年3月15日` */
const SPELLED = /^(\d{4})\s*[-./년年]\s*(\d{1,2})\s*[-./월月]\s*(\d{1,2})\s*[.일日]?$/u;

/** @returns the day as the API takes it, `2021-03-15`; a text that is no day, such as a number, as it is */
export function isoDay(text: string): string {
  const [, year, month, day] = SPELLED.exec(text.trim()) ?? [];
  return year && month && day ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text;
}
