//! The sensors of the machines in `rows` and `wide-rows`.

use super::draw::Draw;

/// A kind of sensor. Levels are in units of the last decimal place: with two places, 1234 is 12.34.
#[derive(Clone, Copy, Default)]
pub(super) struct Sensor {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    /// Decimal places that the sensor resolves.
    pub(super) places: u32,
    low: i32,
    high: i32,
    /// How far one reading may lie from the one before it.
    step: i32,
}

impl Sensor {
    /// The reading as a number: one division of two integers that are exact, hence the same bits
    /// everywhere.
    pub(super) fn value(self, level: i32) -> f64 {
        f64::from(level) / f64::from(10_i32.saturating_pow(self.places))
    }

    /// Any level in range.
    pub(super) fn level(self, draw: &mut Draw) -> i32 {
        draw.between(self.low, self.high)
    }

    /// Another level as a machine in steady work shows it beside `level`.
    pub(super) fn level_near(self, level: i32, draw: &mut Draw) -> i32 {
        (level + draw.bell(4 * self.step)).clamp(self.low, self.high)
    }
}

const fn sensor(
    name: &'static str,
    unit: &'static str,
    places: u32,
    range: [i32; 2],
    step: i32,
) -> Sensor {
    let [low, high] = range;
    Sensor {
        name,
        unit,
        places,
        low,
        high,
        step,
    }
}

/// What a production machine is commonly fitted with.
pub(super) const SENSORS: [Sensor; 16] = [
    sensor("spindle_speed", "rpm", 0, [600, 12_000], 40),
    sensor("spindle_load", "%", 1, [0, 1_000], 30),
    sensor("bearing_temp_front", "degC", 1, [180, 950], 3),
    sensor("bearing_temp_rear", "degC", 1, [180, 950], 3),
    sensor("motor_current_l1", "A", 2, [150, 6_400], 60),
    sensor("motor_current_l2", "A", 2, [150, 6_400], 60),
    sensor("motor_winding_temp", "degC", 1, [200, 1_400], 4),
    sensor("vibration_rms_x", "mm/s", 3, [80, 11_200], 150),
    sensor("vibration_rms_y", "mm/s", 3, [80, 11_200], 150),
    sensor("coolant_flow", "l/min", 2, [400, 3_600], 25),
    sensor("coolant_pressure", "bar", 3, [900, 6_500], 35),
    sensor("coolant_temp", "degC", 2, [1_200, 4_800], 8),
    sensor("hydraulic_pressure", "bar", 1, [400, 2_100], 6),
    sensor("axis_position_z", "mm", 3, [-250_000, 250_000], 1_800),
    sensor("air_humidity", "%RH", 1, [150, 900], 2),
    sensor("power_total", "kW", 3, [300, 48_000], 400),
];

/// Readings that drift: a random walk that is drawn back to a working point, and a working point
/// that changes at times.
pub(super) struct Walk {
    sensor: Sensor,
    level: i32,
    target: i32,
}

impl Walk {
    /// Starts at a working point.
    pub(super) fn new(sensor: Sensor, draw: &mut Draw) -> Self {
        let target = sensor.level(draw);
        Self {
            sensor,
            level: target,
            target,
        }
    }

    /// The next reading. Every other one repeats the last, as a slow quantity does under a coarse
    /// sensor.
    pub(super) fn next(&mut self, draw: &mut Draw) -> i32 {
        let Sensor {
            low, high, step, ..
        } = self.sensor;
        if draw.one_in(200) {
            self.target = self.sensor.level(draw);
        }
        if draw.one_in(2) {
            let pull = (self.target - self.level) / 16;
            self.level = (self.level + pull + draw.bell(step)).clamp(low, high);
        }
        self.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_stay_in_range_and_move_by_small_steps() {
        let mut draw = Draw::new("test", 0);
        for sensor in SENSORS {
            let mut walk = Walk::new(sensor, &mut draw);
            let levels: Vec<i32> = (0..5_000).map(|_| walk.next(&mut draw)).collect();
            assert!(
                levels
                    .iter()
                    .all(|level| (sensor.low..=sensor.high).contains(level)),
                "{}",
                sensor.name
            );
            assert!(
                levels.windows(2).any(|pair| pair[0] != pair[1]),
                "{}",
                sensor.name
            );
            let far = levels
                .windows(2)
                .filter(|pair| (pair[0] - pair[1]).abs() > sensor.step)
                .count();
            assert!(far < levels.len() / 4, "{} jumps {far} times", sensor.name);
        }
    }
}
