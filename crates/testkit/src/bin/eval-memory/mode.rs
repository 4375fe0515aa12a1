//! The ways of searching that are compared.

use memory::{Fusion, MemorySettings};

/// One way of searching.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    /// By words alone, as without a model.
    Keyword,
    /// By meaning alone.
    Vector,
    /// Both, the meaning counting so much of the whole.
    Weighted(f32),
    /// Both, by their places in the lists.
    Rrf,
    /// As it comes: what the owner gets who sets nothing, with what is left out as unlikely.
    Usual,
}

impl Mode {
    /// Those that stand in the tables.
    pub fn compared() -> Vec<Self> {
        vec![Self::Keyword, Self::Vector, Self::Weighted(usual().vector_weight), Self::Rrf, Self::Usual]
    }

    pub fn name(self) -> String {
        match self {
            Self::Keyword => "keyword".into(),
            Self::Vector => "vector".into(),
            Self::Weighted(weight) => format!("weighted {weight:.2}"),
            Self::Rrf => "RRF".into(),
            Self::Usual => "as set".into(),
        }
    }

    pub fn has_vectors(self) -> bool {
        self != Self::Keyword
    }

    /// The usual settings, changed as far as this way of searching asks for.
    pub fn applied_to(self, mut settings: MemorySettings) -> MemorySettings {
        let weight = match self {
            Self::Vector => 1.0,
            Self::Weighted(weight) => weight,
            Self::Keyword | Self::Rrf | Self::Usual => settings.vector_weight,
        };
        if self == Self::Usual {
            return settings;
        }
        settings.fusion = if self == Self::Rrf { Fusion::Rrf } else { Fusion::Weighted };
        (settings.vector_weight, settings.keyword_weight) = (weight, 1.0 - weight);
        // The order is compared; what is left out as unlikely would hide a part of it.
        settings.min_score = 0.0;
        settings
    }
}

fn usual() -> MemorySettings {
    MemorySettings::new("".into(), "".into())
}
