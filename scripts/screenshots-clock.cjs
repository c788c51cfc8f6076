// Preloaded into the program whose pictures are taken: its clock begins 55 minutes ago and comes nearer to that of the
// machine, fast at first. What happens in the minutes of a demo is then spread over the last hour, however long they take,
// and its page, which has the time from the headers of answers, shows ages that differ.
const start = Number(process.env.SCREENSHOTS_START);
const Real = Date;
const behindMs = 55 * 60_000;
const now = () => {
  const real = Real.now();
  return Math.floor(real - behindMs * Math.exp((start - real) / 40_000));
};

globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }

  static now() {
    return now();
  }
};
