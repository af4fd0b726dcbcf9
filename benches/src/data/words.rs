//! The vocabulary: lists of words, separated by commas, from the commonest to the rarest.
//!
//! Everyday words of a town by the sea, its workshops and its weather. Nouns take a plain `s` in
//! the plural, and verbs are in the past, so that sentences can be put together without a table of
//! forms.

/// Things, and people by what they do.
pub(super) const NOUNS: &str = "\
    time, day, hand, place, night, house, door, thing, word, year, street, room, boat, letter, \
    morning, harbour, friend, question, machine, river, window, table, road, stone, garden, \
    engine, winter, captain, evening, wall, teacher, town, market, island, bridge, light, storm, \
    brother, sister, neighbour, number, picture, field, paper, report, summer, station, song, \
    minute, corner, ship, doctor, book, fire, tree, answer, boy, girl, carpenter, clock, \
    mountain, daughter, son, farmer, hill, journey, kitchen, lamp, line, message, name, office, \
    owner, path, plan, price, reason, roof, sailor, school, shadow, shop, shore, sign, step, \
    stranger, tide, tower, train, voice, wave, wheel, worker, yard, anchor, apple, baker, barrel, \
    basket, bell, bird, blanket, bottle, bucket, cabin, candle, carriage, cart, chain, chair, \
    chart, cloud, coat, coin, colour, crane, crew, cup, curtain, debt, dog, drawer, dream, egg, \
    errand, farm, fence, ferry, floor, flower, forest, gate, guest, hammer, hat, horse, \
    inspector, judge, key, ladder, lantern, lesson, lighthouse, lock, map, mast, meadow, \
    merchant, mill, mirror, mistake, nail, needle, net, notebook, oar, orchard, oven, painter, \
    passenger, pipe, plank, pocket, promise, pump, quarrel, rail, receipt, ribbon, rope, sack, \
    sail, schedule, servant, signal, spring, stair, stove, tailor, tool, trader, tunnel, valley, \
    village, visitor, wagon, warehouse, weaver, well, whistle, widow, wing, workshop, account, \
    afternoon, argument, axle, balcony, bargain, beam, bench, bonfire, brick, broom, cellar, \
    ceremony, chimney, churchyard, clerk, collar, compass, conversation, courtyard, cousin, \
    customer, cushion, decision, difference, dinner, direction, discovery, elbow, envelope, \
    excuse, expedition, favour, feather, fiddle, fisherman, foghorn, fortune, grandfather, \
    granary, gravel, gull, habit, handle, harness, hedge, hinge, holiday, illness, inkwell, \
    invention, jacket, jar, kettle, landlord, ledger, lever, luggage, marble, measurement, \
    memory, miller, monument, mooring, motor, musician, newspaper, opinion, ornament, paddle, \
    parcel, partner, pebble, permit, pigeon, pillow, post, procession, quay, quilt, recipe, \
    rehearsal, remedy, rival, rudder, rumour, saddle, sandbank, scaffold, secret, shelter, \
    shutter, spade, statue, suitcase, surveyor, telegram, thermometer, timetable, toolbox, \
    translation, trumpet, umbrella, uncle, vegetable, verdict, violin, waistcoat, wharf, \
    windmill, witness, wreck";

/// What they did to things, in the past.
pub(super) const VERBS: &str = "\
    had, saw, took, found, left, heard, made, wanted, knew, brought, kept, held, told, watched, \
    opened, carried, remembered, closed, followed, needed, sent, bought, sold, called, lost, \
    passed, built, moved, wrote, paid, pulled, turned, reached, repaired, asked, crossed, \
    answered, counted, cleaned, covered, changed, chose, cut, described, drew, drove, emptied, \
    expected, feared, filled, finished, forgot, gathered, guarded, hid, hired, inspected, joined, \
    knocked over, lifted, lit, loaded, locked, measured, mended, missed, noticed, offered, \
    ordered, painted, planted, polished, promised, recognised, refused, rented, returned, sewed, \
    shook, signed, stole, studied, swept, tied, touched, trusted, unloaded, visited, warned, \
    washed, weighed, welcomed, admired, altered, apologised for, arranged, auctioned, blamed, \
    borrowed, burned, buried, calculated, chased, consulted, copied, criticised, delivered, \
    demanded, discovered, dragged, examined, exchanged, explained, fetched, greased, imagined, \
    inherited, insulted, interrupted, lent, listened to, looked for, mistook, nailed shut, \
    objected to, owned, photographed, pitied, praised, presented, quoted, recited, registered, \
    rescued, restored, sketched, steered, surprised, translated, unlocked, waited for, whispered \
    about";

/// What things are like.
pub(super) const ADJECTIVES: &str = "\
    old, small, long, good, little, great, last, first, new, dark, quiet, white, young, whole, \
    cold, heavy, black, open, red, empty, broken, early, narrow, wooden, strange, green, warm, \
    grey, simple, low, blue, wet, careful, clean, distant, round, poor, late, rich, dry, sharp, \
    deep, tired, honest, bright, busy, crooked, dusty, faded, familiar, foreign, frozen, gentle, \
    hollow, iron, lonely, loose, loud, muddy, painted, patient, pale, proud, rough, rusty, salty, \
    silent, silver, slow, smooth, steep, stubborn, sudden, sunny, tall, thick, thin, wild, windy, \
    abandoned, ancient, anxious, awkward, bitter, brass, borrowed, cheerful, clumsy, comfortable, \
    curious, damp, delicate, doubtful, eager, enormous, expensive, fragile, generous, handsome, \
    hungry, idle, impossible, impatient, invisible, jealous, legal, luxurious, mild, modest, \
    mysterious, neglected, nervous, obvious, ordinary, perfect, pleasant, precious, public, \
    ragged, reluctant, respectable, secret, serious, shallow, solemn, splendid, temporary, \
    unexpected, useless, vacant, worn";

/// How, when and how far.
pub(super) const ADVERBS: &str = "\
    again, already, once more, slowly, at last, soon, carefully, quickly, never, twice, quietly, \
    often, before noon, at once, together, in silence, by mistake, without a word, as usual, half \
    asleep, for nothing, in a hurry, on purpose, gladly, all day, with both hands, out of habit, \
    in good time";

/// What goes before a noun. `a` stands for `an` too.
pub(super) const DETERMINERS: &str = "\
    the, the, the, the, a, his, her, their, this, that, every, its, another, one, my, our, some, \
    each";

/// What joins a noun to the rest.
pub(super) const PREPOSITIONS: &str = "\
    of, in, to, at, on, with, from, by, for, near, behind, under, through, over, after, across, \
    beside, before, without, beyond, along, between the church and, on the way to";

/// Who, when it is clear who.
pub(super) const PRONOUNS: &str = "he, she, they, it, we, nobody, somebody, everyone, I, you";

/// Who, by name.
pub(super) const NAMES: &str = "\
    Marta, Jonas, Mr Hale, Ilse, old Petersen, Anneke, Tomas, Mrs Brandt, Colin, Henrike, Osric, \
    Father Quill, Dagny, the Vaughan twins, Ezra, Lucinda";

/// What holds two clauses together, after a comma.
pub(super) const CONJUNCTIONS: &str = "and, but, so, though, for, or, while, as if";

/// What holds two clauses together, without a comma.
pub(super) const SUBORDINATORS: &str = "because, when, until, before, after, where, since, unless";

/// What a sentence may begin with.
pub(super) const OPENERS: &str = "\
    then, in the morning, after a while, of course, now and then, that evening, to be sure, by the \
    end of the week, as far as anyone knew, when the rain stopped, years later, on the other hand";

/// What goes before a plural noun.
pub(super) const QUANTITIES: &str = "\
    two, some, three, many, a few, four, most of the, all the, seven, other people's, a dozen, \
    hardly any, too many, these, twenty, his best";

/// What goes before a reported clause.
pub(super) const REPORTS: &str = "\
    said that, thought that, wondered where, knew why, hoped that, was told that, showed us how, \
    swore that, never learned when";

/// What ends a reported clause.
pub(super) const STATES: &str = "\
    was, had gone, came back, stood empty, would be needed, could wait, lay open, might have been \
    sold, belonged to nobody, did not matter";

/// What goes before an adjective that says what something is like.
pub(super) const SEEMINGS: &str =
    "seemed, became, looked, felt, could not be, turned out, never grew, stayed";
